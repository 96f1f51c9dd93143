import { expect, test } from "vitest";
import { type Family, runFamily } from "./attack.ts";

type Guards = "kept" | "removed";

interface Room {
  readonly canaries: { check(said: string): Promise<readonly string[]> };
}

type Acts = Readonly<Record<string, (guards: Guards) => string>>;

/** A family with its guard, or without it, and how often a world of it was built. */
function familyOf(attacks: Acts, guards: Guards) {
  const opened: string[] = [];
  const family: Pick<Family<Room>, "inWorld" | "attacks"> = {
    inWorld(act) {
      opened.push(guards);
      return act({ canaries: { check: async (said) => (said.includes("secret") ? ["a secret was seen"] : []) } });
    },
    attacks: () =>
      Object.entries(attacks).map(([name, run]) => ({
        name,
        run: async () => run(guards),
        harm: (said) => (said.startsWith("broken") ? "something is broken" : undefined),
        isReported: (said) => said.includes("[changed]"),
      })),
  };
  return { family, opened };
}

test("an attack counts if it succeeds with the guard removed, and escapes if it succeeds with the guard kept", async () => {
  const acts: Acts = {
    held: (guards) => (guards === "kept" ? "refused" : "secret"),
    "held against harm": (guards) => (guards === "kept" ? "refused" : "broken"),
    harmless: () => "refused",
    escapes: () => "secret",
    "held after that": (guards) => (guards === "kept" ? "refused" : "secret"),
    "reported, not prevented": () => "broken [changed]",
    "reported only without the guard": (guards) => (guards === "kept" ? "refused" : "broken [changed]"),
    "fails to run": (guards) => {
      throw new Error(guards === "kept" ? "refused" : "secret in an error");
    },
  };
  const [kept, removed] = [familyOf(acts, "kept"), familyOf(acts, "removed")];
  expect(await runFamily(kept.family, removed.family)).toEqual({
    cases: 6,
    escapes: ["escapes: a secret was seen"],
    harmless: ["harmless"],
    reportedOnly: ["reported, not prevented"],
  });
  // Each attack has a world of its own, with its guard and without it; one more is asked for the list.
  expect(kept.opened).toHaveLength(9);
  expect(removed.opened).toHaveLength(7);
});

test("fewer attacks are evenly spread", async () => {
  const held = (guards: Guards): string => (guards === "kept" ? "refused" : "secret");
  const acts: Acts = { a: held, b: held, c: held, d: held, e: held };
  const { family } = familyOf(acts, "kept");
  expect(await runFamily(family, familyOf(acts, "removed").family, 2)).toMatchObject({ cases: 2, escapes: [] });
  expect(await runFamily(family, familyOf(acts, "removed").family, 9)).toMatchObject({ cases: 5, escapes: [] });
});

test("attacks that leave nothing share a world", async () => {
  const acts: Acts = { a: () => "secret", b: (guards) => (guards === "kept" ? "refused" : "secret") };
  const [kept, removed] = [familyOf(acts, "kept"), familyOf(acts, "removed")];
  const shared = { ...kept.family, leaves: "nothing" } as const;
  expect(await runFamily(shared, removed.family)).toMatchObject({ cases: 2, escapes: ["a: a secret was seen"] });
  expect([kept.opened, removed.opened]).toEqual([["kept"], ["removed"]]);
});

import { expect, test } from "vitest";
import { type Family, type Guards, runFamily } from "./attack.ts";

interface Room {
  readonly guards: Guards;
  readonly canaries: { check(said: string): Promise<readonly string[]> };
}

function familyOf(attacks: Readonly<Record<string, (guards: Guards) => string>>): Family<Room> & { opened: Guards[] } {
  const opened: Guards[] = [];
  return {
    name: "a family",
    opened,
    inWorld(guards, act) {
      opened.push(guards);
      return act({
        guards,
        canaries: { check: async (said) => (said.includes("secret") ? ["a secret was seen"] : []) },
      });
    },
    attacks: ({ guards }) =>
      Object.entries(attacks).map(([name, run]) => ({
        name,
        run: async () => run(guards),
        harm: (said) => (said === "broken" ? "something is broken" : undefined),
      })),
  };
}

test("an attack counts if it succeeds with the guard removed, and escapes if it succeeds with the guard kept", async () => {
  const family = familyOf({
    held: (guards) => (guards === "kept" ? "refused" : "secret"),
    "held against harm": (guards) => (guards === "kept" ? "refused" : "broken"),
    harmless: () => "refused",
    escapes: () => "secret",
    "held after that": (guards) => (guards === "kept" ? "refused" : "secret"),
    "fails to run": (guards) => {
      throw new Error(guards === "kept" ? "refused" : "secret in an error");
    },
  });
  expect(await runFamily(family)).toEqual({
    cases: 5,
    escapes: ["escapes: a secret was seen"],
    harmless: ["harmless"],
  });
  // Each attack has a world of its own, with its guard and without it; one more is asked for the list.
  expect(family.opened.filter((guards) => guards === "kept")).toHaveLength(6);
  expect(family.opened.filter((guards) => guards === "removed")).toHaveLength(7);
});

test("a stride makes every n-th attack", async () => {
  const held = (guards: Guards): string => (guards === "kept" ? "refused" : "secret");
  const family = familyOf({ a: held, b: held, c: held, d: held, e: held });
  expect(await runFamily(family, 2)).toEqual({ cases: 3, escapes: [], harmless: [] });
});

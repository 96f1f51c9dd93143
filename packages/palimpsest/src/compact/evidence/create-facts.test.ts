import { expect, test } from "vitest";
import { createFacts } from "./evidence.ts";
import type { StoredFact } from "./state.ts";

/** Of a length that makes it a name. */
const nameOf = (at: number): string => `name_${1_000 + at}`;

test("a name that is used keeps the place where it was shown: that is the one to recall", () => {
  const facts = createFacts([], []);
  facts.take("tokenTable", { source: "tool", round: 1, entry: 1 });
  facts.take("tokenTable", { source: "model", round: 61, entry: 61 });
  expect(facts.stored()).toEqual([["tokenTable", "identifier", "tool", 1, 1, 61, 1.075]]);
});

test("of a long listing the beginning and the end are kept", () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => nameOf(at));
  const kept = (count: number) => {
    const facts = createFacts([], []);
    facts.take(names(count).join("\n"), { source: "tool", round: 1, entry: 1 });
    return facts.stored().map(([text]) => text);
  };
  expect(kept(400)).toEqual(names(400));
  expect(kept(401)).toHaveLength(400);
  expect(kept(402)).toEqual([...names(402).slice(0, 200), ...names(402).slice(202)]);
});

test("of too many facts, those go first that were never used again and that the user did not give", () => {
  const stored = Array.from({ length: 5_000 }, (_, at): StoredFact => {
    const source = at === 0 ? "user" : "tool";
    return [nameOf(at), "identifier", source, 1, at === 1 ? 1 : 0, 1, 0.15];
  });
  const facts = createFacts(stored, []);
  facts.take(nameOf(5), { source: "model", round: 2, entry: 2 });
  expect(facts.stored()).toHaveLength(5_000);
  facts.take("oneMoreName", { source: "tool", round: 2, entry: 2 });
  const left = facts.stored().map(([text]) => text);
  expect(left).toHaveLength(4_500);
  // The oldest of the rest are gone.
  expect(left.slice(0, 3)).toEqual([nameOf(0), nameOf(1), nameOf(504)]);
  expect(left.slice(-2)).toEqual([nameOf(5), "oneMoreName"]);
});

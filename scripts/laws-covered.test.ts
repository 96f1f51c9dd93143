import { expect, test } from "vitest";
import { addCovered } from "./laws-covered.ts";

test("the cases and counts of a law are added up over rounds", () => {
  const told = (law: string, cases: number, counts: object): string => JSON.stringify({ law, cases, counts });
  const lines = [told("kills", 20, { kills: 3 }), told("undo", 5, {}), told("kills", 20, { kills: 4, unknown: 1 })];
  expect(addCovered(lines)).toEqual({
    kills: { cases: 40, counts: { kills: 7, unknown: 1 } },
    undo: { cases: 5, counts: {} },
  });
});

import { expect, test } from "vitest";
import { describeMutant, placeMutants } from "./place-mutants.ts";

const LOG = "packages/palimpsest/src/log";
const SOURCES = new Map([
  [`${LOG}/a.ts`, "export const a = 1;\nexport const b = c < d;\n"],
  [`${LOG}/a.test.ts`, "expect(a).toBe(1);"],
  [`${LOG}/testing/e.ts`, "export const e = 1;"],
  ["packages/palimpsest/src/logs/f.ts", "export const f = 1;"],
]);

test("only programs of the folder itself have mistakes made in them", () => {
  const placed = placeMutants("log", SOURCES, { count: 10, seed: 1 });
  expect(placed.map(describeMutant)).toEqual([
    `${LOG}/a.ts:1 number: 1 -> 2`,
    `${LOG}/a.ts:1 number: 1 -> (0)`,
    `${LOG}/a.ts:2 boundary: < -> <=`,
  ]);
});

test("a folder that is not known is refused with those that are", () => {
  expect(() => placeMutants("logs", SOURCES, { count: 1, seed: 1 })).toThrow("--folder logs: give some of log, view");
});

import { expect, test } from "vitest";
import { applyMutant, findMutants } from "./find-mutants.ts";

/** Each mistake that could be made in a source, as the source with it. */
function mistakes(source: string): readonly string[] {
  return findMutants("source.ts", source).map((mutant) => `${mutant.kind}: ${applyMutant(source, mutant)}`);
}

test("comparisons move their boundary or are turned around", () => {
  expect(mistakes("a < b;")).toEqual(["boundary: a <= b;"]);
  expect(mistakes("a >= b;")).toEqual(["boundary: a > b;"]);
  expect(mistakes("a === b;")).toEqual(["equality: a !== b;"]);
});

test("the operator is replaced where it stands, not in a comment before it", () => {
  expect(mistakes("a /* < */ < (b);")).toEqual(["boundary: a /* < */ <= (b);"]);
});

test("and is or, plus is minus, unless texts are joined", () => {
  expect(mistakes("a && b;")).toEqual(["logical: a || b;"]);
  expect(mistakes("a + b;")).toEqual(["arithmetic: a - b;"]);
  expect(mistakes("a + `b`;")).toEqual(["string: a + ``;"]);
});

test("conditions are forced, but no loop is made endless", () => {
  expect(mistakes("if (a) b;")).toEqual(["condition: if (true) b;", "condition: if (false) b;"]);
  expect(mistakes("while (a) b;")).toEqual(["condition: while (false) b;"]);
});

test("a number is one more and one less, a truth the other one, a text empty", () => {
  expect(mistakes("a(3);")).toEqual(["call-removed: void 0;", "number: a(4);", "number: a((2));"]);
  expect(mistakes("const a = true;")).toEqual(["boolean: const a = false;"]);
  expect(mistakes('const a = "b";')).toEqual(['string: const a = "";']);
  expect(mistakes('const a = "";')).toEqual([]);
});

test("a call for its effect is left out, a returned value forgotten", () => {
  expect(mistakes("await a();")).toEqual(["call-removed: void 0;"]);
  expect(mistakes("function a() { return b; }")).toEqual(["return-emptied: function a() { return undefined; }"]);
  expect(mistakes("function a() { return undefined; }")).toEqual([]);
});

test("types, names of modules and names of fields are left as they are", () => {
  expect(
    mistakes('import { a } from "a";\nexport { b } from "b";\ntype C = "c" | 3;\ninterface D { e: true }'),
  ).toEqual([]);
  expect(mistakes('const a: "b" = c as "b"; const d = { "e-f": g };')).toEqual([]);
  expect(mistakes("const a = (b as number) < c;")).toEqual(["boundary: const a = (b as number) <= c;"]);
});

test("a source that cannot be parsed is told", () => {
  expect(() => findMutants("source.ts", "const = 3")).toThrow("source.ts: ");
});

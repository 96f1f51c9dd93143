import { expect, test } from "vitest";
import { InvalidOptionError, PalimpsestError } from "./errors.ts";

const cyclic: unknown[] = [];
cyclic.push(cyclic);

test.each<[string, unknown, string]>([
  ["nothing", undefined, "missing"],
  ["null", null, "null"],
  ["a text", "a", '"a"'],
  ["an object", { at: 1 }, '{"at":1}'],
  ["a function, without its source", () => "secret", "a function"],
  ["a value that JSON leaves out", Symbol("s"), "Symbol(s)"],
  ["a value without a JSON form", 7n, "[object BigInt]"],
  ["a cyclic value", cyclic, "[object Array]"],
  ["a text of the maximum length", "x".repeat(198), `"${"x".repeat(198)}"`],
  ["the beginning of a longer text", "x".repeat(199), `"${"x".repeat(199)}...`],
])("shows %s in the message", (_, value, shown) => {
  const error = new InvalidOptionError("open({ id })", value, "a name");
  expect(error.message).toBe(`open({ id }) is ${shown}; it must be a name.`);
  expect(error).toMatchObject({ option: "open({ id })", value });
});

class LeakError extends PalimpsestError {
  static readonly code = "leak";
  readonly code: string = LeakError.code;
}

class FireError extends PalimpsestError {
  static readonly code = "fire";
  readonly code: string = FireError.code;
}

test("has the name of its class and its cause", () => {
  const cause = new Error("a pipe burst");
  expect(new LeakError("Water everywhere.", { cause })).toMatchObject({
    name: "LeakError",
    message: "Water everywhere.",
    cause,
  });
});

test("recognizes an error by its code, even from another copy of the package", () => {
  const copy = Object.assign(new Error("Water everywhere."), { code: "leak" });
  expect(
    [new LeakError(""), copy, new FireError(""), { code: "leak" }, undefined].map((error) =>
      LeakError.isInstance(error),
    ),
  ).toEqual([true, true, false, false, false]);
});

test("begins the stack with the class and the code", () => {
  expect(new LeakError("Water everywhere.").stack).toMatch(/^LeakError \[leak\]: Water everywhere\.\n {4}at /);
});

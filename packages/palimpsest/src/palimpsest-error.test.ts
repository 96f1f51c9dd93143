import { expect, test } from "vitest";
import { PalimpsestError } from "./errors.ts";

class LeakError extends PalimpsestError {
  static readonly code = "leak";
  readonly code: string = LeakError.code;
}

class FireError extends PalimpsestError {
  static readonly code = "fire";
  readonly code: string = FireError.code;
}

test("an error carries the name of its class and its cause", () => {
  const cause = new Error("a pipe burst");
  expect(new LeakError("Water everywhere.", { cause })).toMatchObject({
    name: "LeakError",
    message: "Water everywhere.",
    cause,
  });
});

test("it is known by its code, also if it comes from another copy of the package", () => {
  const copy = Object.assign(new Error("Water everywhere."), { code: "leak" });
  expect(
    [new LeakError(""), copy, new FireError(""), { code: "leak" }, undefined].map((error) =>
      LeakError.isInstance(error),
    ),
  ).toEqual([true, true, false, false, false]);
});

test("its stack begins with its class and its code, for logs", () => {
  expect(new LeakError("Water everywhere.").stack).toMatch(/^LeakError \[leak\]: Water everywhere\.\n {4}at /);
});

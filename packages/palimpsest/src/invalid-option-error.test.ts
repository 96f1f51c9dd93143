import { expect, test } from "vitest";
import { InvalidOptionError } from "./errors.ts";

const cyclic: unknown[] = [];
cyclic.push(cyclic);

test.each<[string, unknown, string]>([
  ["nothing", undefined, "missing"],
  ["null", null, "null"],
  ["a text", "a", '"a"'],
  ["an object", { at: 1 }, '{"at":1}'],
  ["a function, without its source", () => "secret", "a function"],
  ["what JSON leaves out", Symbol("s"), "Symbol(s)"],
  ["what JSON cannot say", 7n, "[object BigInt]"],
  ["what contains itself", cyclic, "[object Array]"],
  ["as many characters as are shown", "x".repeat(198), `"${"x".repeat(198)}"`],
  ["more than are shown, by its beginning", "x".repeat(199), `"${"x".repeat(199)}...`],
])("the message shows %s", (_, value, shown) => {
  const error = new InvalidOptionError("open({ id })", value, "a name");
  expect(error.message).toBe(`open({ id }) is ${shown}; it must be a name.`);
  expect(error).toMatchObject({ option: "open({ id })", value });
});

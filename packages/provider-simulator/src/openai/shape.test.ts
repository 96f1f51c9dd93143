import { describe, expect, it } from "vitest";
import { checkRange } from "./problem.ts";
import { checkShape, optional, optionalChoice, required, type Shape } from "./shape.ts";

const shape: Shape = {
  name: { ...required("string"), maxLength: 4, pattern: "^[a-z]+$" },
  content: required("string", "array"),
  size: optional("integer", "null"),
  mode: optionalChoice("auto", "disabled", "never"),
};
const sound = { name: "abc", content: "text" };

describe("the shape of an object", () => {
  it("accepts what fits, nulls where they are allowed included", () => {
    expect(checkShape({ ...sound, size: null, mode: null }, shape, { path: "" })).toBeUndefined();
  });

  it("names a missing field by its whole path", () => {
    expect(checkShape({ name: "abc" }, shape, { path: "input[2]" })).toEqual({
      status: 400,
      type: "invalid_request_error",
      message: "Missing required parameter: 'input[2].content'.",
      param: "input[2].content",
      code: "missing_required_parameter",
    });
  });

  it.each([
    [
      { ...sound, content: null },
      "Invalid type for 'content': expected one of a string or array of objects, but got null instead.",
    ],
    [{ ...sound, size: 1.5 }, "Invalid type for 'size': expected an integer, but got a decimal instead."],
    [{ ...sound, size: {} }, "Invalid type for 'size': expected an integer, but got an object instead."],
    [{ ...sound, mode: "on" }, "Invalid value: 'on'. Supported values are: 'auto', 'disabled', and 'never'."],
    [
      { ...sound, name: "abcde" },
      "Invalid 'name': string too long. Expected a string with maximum length 4, but got a string with length 5 instead.",
    ],
    [
      { ...sound, name: "a b" },
      "Invalid 'name': string does not match pattern. Expected a string that matches the pattern '^[a-z]+$'.",
    ],
    [{ ...sound, extra: 1 }, "Unknown parameter: 'extra'."],
  ])("refuses %o", (value, message) => {
    expect(checkShape(value, shape, { path: "" })?.message).toBe(message);
  });

  it("lets unknown fields pass where a server ignores them", () => {
    expect(checkShape({ ...sound, extra: 1 }, shape, { path: "", unknownFields: "ignored" })).toBeUndefined();
  });

  it("says by how much a number is out of range", () => {
    expect(checkRange("max_output_tokens", 5, { min: 16 })?.message).toBe(
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.",
    );
    expect(checkRange("n", 9, { min: 1, max: 8 })?.code).toBe("integer_above_max_value");
    expect(checkRange("n", 8, { min: 1, max: 8 })).toBeUndefined();
  });
});

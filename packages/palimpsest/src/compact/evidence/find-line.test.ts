import fc from "fast-check";
import { expect, test } from "vitest";
import { findLine } from "./find.ts";

test("the last line that shows a name, without its number and indentation", () => {
  const read = "  1\tconst parseHeader = 1;\n  2\tother();\n 30→    return parseHeader(text, 2);\n 31\t}";
  expect(findLine(read, "parseHeader")).toBe("return parseHeader(text, 2);");
  expect(findLine("export parseHeader from here\r\n", "parseHeader")).toBe("export parseHeader from here");
});

test("a part of a longer name does not show it", () => {
  expect(findLine("call parseHeader(1)\ncall parseHeaderLine(2)\ncall reparseHeader(3)", "parseHeader")).toBe(
    "call parseHeader(1)",
  );
  expect(findLine("call parseHeaderLine(2)", "parseHeader")).toBeUndefined();
});

test("a line that says only the name, or that is too long, gives way to one before", () => {
  const long = `parseHeader ${"x".repeat(300)}`;
  expect(findLine(`let parseHeader = 1\n${long}\nparseHeader\n- parseHeader`, "parseHeader")).toBe(
    "let parseHeader = 1",
  );
  expect(findLine(long, "parseHeader")).toBeUndefined();
});

test("it stands in the text as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("name_one", " ", "\n", "x", "\t7\t", "😀", "$")), (pieces) => {
      const text = pieces.join("");
      const line = findLine(text, "name_one");
      if (line === undefined) return;
      expect(text).toContain(line);
      expect(line).toContain("name_one");
      expect(line).not.toContain("\n");
    }),
  );
});

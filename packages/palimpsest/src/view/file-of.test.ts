import { expect, test } from "vitest";
import { fileOf } from "./items.ts";

test.each([
  ["Read", { file_path: "a" }, { path: "a", access: "read" }],
  ["view_file", { path: "a" }, { path: "a", access: "read" }],
  ["MultiEdit", { filePath: "a" }, { path: "a", access: "edit" }],
  ["list", { path: "a" }, undefined],
  ["Read", { path: 1 }, undefined],
  ["Read", null, undefined],
  ["Read", "a", undefined],
])("a call of %s with %j uses %j", (name, input, file) => {
  expect(fileOf({ kind: "tool_call", id: "1", name, input })).toEqual(file);
});

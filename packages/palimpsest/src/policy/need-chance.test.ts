import { expect, test } from "vitest";
import { needChance, sortOfTool } from "./need-chance.ts";

test("old results are needed less often, and reads more often than others", () => {
  expect([0, 2, 3, 19, 20].map((newer) => needChance("read", newer))).toEqual([0.45, 0.45, 0.14, 0.14, 0.05]);
  expect([0, 3, 20].map((newer) => needChance("shell", newer))).toEqual([0.04, 0.02, 0.006]);
});

test.each([
  ["Read", "read"],
  ["read_file", "read"],
  ["recall", "read"],
  ["Bash", "shell"],
  ["BashOutput", "shell"],
  ["run_terminal_cmd", "shell"],
  ["Grep", "search"],
  ["list_directory", "search"],
  ["WebSearch", "search"],
  ["mcp__docs__searchPages", "search"],
  ["WebFetch", "fetch"],
  ["HTTPRequest", "fetch"],
  ["MultiEdit", "edit"],
  ["str_replace_editor", "edit"],
  ["write_file", "edit"],
  ["memory_search", "memory"],
  ["AskUser", "other"],
  ["constructor", "other"],
  ["", "other"],
] as const)("the results of %s are of the sort %s", (name, sort) => {
  expect(sortOfTool(name, undefined)).toBe(sort);
});

test("the form of a call counts more than the name of its tool", () => {
  expect(sortOfTool("catalog_search", "read")).toBe("read");
});

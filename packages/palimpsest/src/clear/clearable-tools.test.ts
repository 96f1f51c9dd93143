import { expect, test } from "vitest";
import { TOOL_SEARCH, type ToolDefinition } from "../log/block.ts";
import { clearableTools } from "./results.ts";

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});
const isClearable = clearableTools(
  [
    tool("read"),
    tool("write", { sideEffects: "some" }),
    tool("ask", { results: "kept" }),
    tool("shell", { sideEffects: "some", results: "clearable" }),
    tool("look", { results: "clearable" }),
  ],
  ["Look"],
);

test.each([
  ["read", true, "it can be asked again"],
  ["nobody knows it", true, "a tool that is not there any more counts as a read"],
  ["write", false, "it has effects"],
  ["ask", false, "the tool says so"],
  ["shell", true, "what the tool says is stronger than its effects"],
  ["look", false, "the user's list is stronger than the tool, in any case of letters"],
  [TOOL_SEARCH, false, "what a search has found is used from then on"],
])("whether results of %s may be cleared: %s, because %s", (name, wanted) => {
  expect(isClearable(name)).toBe(wanted);
});

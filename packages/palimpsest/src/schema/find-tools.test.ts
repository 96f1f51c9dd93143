import { expect, test } from "vitest";
import type { ToolDefinition } from "../log/block.ts";
import { findTools } from "./find-tools.ts";

const tool = (name: string, description = "", properties: object = {}): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: "object", properties },
});
const TOOLS = [
  tool("mcp__git__create_issue", "Opens an issue in a repository."),
  tool("mcp__git__list_issues", "Lists issues of a repository."),
  tool("mcp__browser__click", "Clicks an element of the page.", { selector: {} }),
  tool("mcp__files__read", "Reads a file."),
];
const found = (wanted: Parameters<typeof findTools>[1]) => findTools(TOOLS, wanted).map(({ name }) => name);

test("finds tools by their exact names, in any case", () => {
  expect(found({ names: ["MCP__files__read", "nothing"] })).toEqual(["mcp__files__read"]);
  expect(found({ query: "mcp__browser__click" })[0]).toBe("mcp__browser__click");
});

test("finds tools by words, and ranks words in the name highest", () => {
  expect(found({ query: "create an issue" })[0]).toBe("mcp__git__create_issue");
  expect(found({ query: "selector" })).toEqual(["mcp__browser__click"]);
  expect(found({ query: "weather" })).toEqual([]);
  expect(found({})).toEqual([]);
});

test("returns at most five tools for words, and every tool that is named", () => {
  const many = Array.from({ length: 20 }, (_, index) => tool(`issue_${index}`));
  expect(findTools(many, { query: "issue" })).toHaveLength(5);
  expect(findTools(many, { names: many.map(({ name }) => name) })).toHaveLength(20);
});

import { expect, test } from "vitest";
import { type Block, TOOL_SEARCH, type ToolDefinition } from "../../log/block.ts";

import { type MessageItem, toItem } from "../../view/view.ts";
import { asSearch, toolsAgain } from "./compose.ts";

const tool = (name: string): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
});
const item = (role: "user" | "assistant", blocks: readonly Block[]): MessageItem =>
  toItem({ from: 1, to: 1, role, origin: role === "user" ? "tool" : "model", blocks });
const found = (...names: readonly string[]): MessageItem =>
  item("user", [
    {
      kind: "tool_result",
      callId: "s",
      status: "ok",
      tool: TOOL_SEARCH,
      content: names.map((name) => ({ kind: "text", text: name, tool: tool(name) })),
    },
  ]);
const called = (...names: readonly string[]): MessageItem =>
  item("assistant", [
    { kind: "text", text: "I go on." },
    ...names.map((name) => ({ kind: "tool_call", id: name, name, input: {} }) as const),
  ]);

/** The names of the tools that are brought in again, where each takes so many tokens. */
function again(compacted: readonly MessageItem[], tokens: Readonly<Record<string, number>> = {}): readonly string[] {
  const countTokens = (text: string): number =>
    Object.entries(tokens).find(([name]) => text.includes(`Does ${name}.`))?.[1] ?? 1;
  return toolsAgain(compacted, countTokens).map((text) => text.tool!.name);
}

test.each<[string, readonly MessageItem[], Readonly<Record<string, number>>, readonly string[]]>([
  ["nothing where no tool was brought in", [called("a")], {}, []],
  ["each once, as they were found", [found("a", "b"), found("b", "c")], {}, ["a", "b", "c"]],
  [
    "those that were called first, the newest call first",
    [found("a", "b", "c", "d"), called("b"), called("a", "c"), called("a")],
    {},
    ["a", "c", "b", "d"],
  ],
  ["none that was there all along", [found("a"), called("Read")], {}, ["a"]],
  ["as many as fit, to the last token", [found("a", "b")], { a: 4_000, b: 6_000 }, ["a", "b"]],
  [
    "none that does not fit, and smaller ones behind it",
    [found("a", "b", "c")],
    { a: 4_000, b: 6_001, c: 6_000 },
    ["a", "c"],
  ],
])("a compaction brings tools in again: %s", (_, compacted, tokens, expected) => {
  expect(again(compacted, tokens)).toEqual(expected);
});

test("tools that are brought in again stand there as a search and its result, which belong together", () => {
  expect(asSearch([], 7)).toEqual([]);
  const texts = toolsAgain([found("a", "b")], () => 1);
  expect(texts[0]!.text).toContain("Does a.");
  const [search, result] = asSearch(texts, 7);
  expect(search).toMatchObject({ role: "assistant", origin: "summary" });
  expect(result).toMatchObject({ role: "user", origin: "summary" });
  const [call] = search!.blocks as readonly Extract<Block, { kind: "tool_call" }>[];
  expect(call).toMatchObject({ name: TOOL_SEARCH, input: { names: ["a", "b"] } });
  expect(result!.blocks).toEqual([{ kind: "tool_result", callId: call!.id, content: texts, status: "ok" }]);
  // Those of another boundary are not taken for the same call.
  const [other] = asSearch(texts, 8)[0]!.blocks as readonly Extract<Block, { kind: "tool_call" }>[];
  expect(other!.id).not.toBe(call!.id);
});

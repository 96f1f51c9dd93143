import { expect, test } from "vitest";
import type { Block, Text, ToolCall, ToolDefinition } from "../log/block.ts";
import { inToolForm, loadedTools, unwrapCall } from "./tool-search.ts";
import { toItem } from "./view.ts";

const tool = (name: string, description: string): ToolDefinition => ({ name, description, inputSchema: {} });
const naming = (of: ToolDefinition): Text => ({ kind: "text", text: of.name, tool: of });
const result = (...content: readonly Text[]): Block => ({ kind: "tool_result", callId: "1", content, status: "ok" });
const user = (...blocks: readonly Block[]) => toItem({ from: 1, to: 1, role: "user", origin: "tool", blocks });

test("results bring tools in, of two with one name the newer, and nothing else does", () => {
  const [old, newer, other] = [tool("click", "Old."), tool("click", "New."), tool("type", "Types.")];
  const told: Block = { kind: "tool_result", callId: "1", content: "click", status: "ok" };
  const items = [user(result(naming(old), naming(other))), user(result(naming(newer)), told)];
  expect([...loadedTools(items).values()]).toEqual([newer, other]);
  expect(loadedTools([user(naming(old))]).size).toBe(0);
});

test("a call through call_tool is one of the tool that it names, also if the input is written as text", () => {
  const through = (input: unknown): ToolCall => ({ kind: "tool_call", id: "1", name: "call_tool", input });
  const inputs: readonly (readonly [written: unknown, meant: unknown])[] = [
    [{ at: 1 }, { at: 1 }],
    ['{"at":1}', { at: 1 }],
    ["[1]", "[1]"],
    ["not json", "not json"],
    [undefined, {}],
  ];
  for (const [input, meant] of inputs) {
    expect(unwrapCall(through({ name: "click", input }))).toEqual({
      ...through(meant),
      name: "click",
      through: "call_tool",
    });
  }
  for (const unclear of [through({ input: {} }), through("click"), through({ name: "call_tool" })])
    expect(unwrapCall(unclear)).toBe(unclear);
});

test("where we search ourselves, a call is sent the way it was made", () => {
  const plain: ToolCall = { kind: "tool_call", id: "1", name: "read", input: {} };
  const through: ToolCall = { ...plain, name: "click", input: { at: 1 }, through: "call_tool" };
  const { blocks } = inToolForm({ role: "assistant", blocks: [plain, through] }, "own");
  expect(blocks).toEqual([plain, { ...plain, name: "call_tool", input: { name: "click", input: { at: 1 } } }]);
  const untouched = { role: "assistant", blocks: [plain] } as const;
  expect(inToolForm(untouched, "own")).toBe(untouched);
});

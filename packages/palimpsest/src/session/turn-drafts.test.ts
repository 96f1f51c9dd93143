import { expect, test } from "vitest";
import type { Block, ToolCall } from "../log/block.ts";
import { turnDrafts } from "./record.ts";

const call = (id: string): ToolCall => ({ kind: "tool_call", id, name: "read", input: {} });
const [one, two] = [call("1"), call("2")];
const text: Block = { kind: "text", text: "Yes." };
const answered = (stop: string, phase: string, more: object = {}) => ({ step: "answered", stop, phase, ...more });
const voided = (why: string, ...calls: string[]) => ({ step: "void", calls, why });

test.each([
  ["end", [text], []],
  ["other", [text], []],
  ["end", [one], []],
  ["tools", [one, two], []],
  ["paused", [text], []],
  ["end", [], [answered("end", "idle")]],
  ["paused", [], [answered("paused", "unanswered")]],
  ["compacted", [text], [answered("compacted", "unanswered")]],
  ["length", [text], [answered("length", "cut", { cuts: 3 })]],
  ["window", [text], [answered("window", "cut", { cuts: 3 })]],
  ["length", [one, two], [answered("length", "unanswered", { cuts: 3 }), voided("cut", "2")]],
  ["refused", [text], [answered("refused", "idle")]],
  ["refused", [one, two], [answered("refused", "idle"), voided("refused", "1", "2")]],
] as const)("%s with %j is written as %j", (stop, blocks, expected) => {
  const calls = blocks.filter((block) => block.kind === "tool_call");
  const drafts = turnDrafts({ stop, blocks, calls }, { cuts: 2, calls: "in-steps" });
  expect(drafts.map(({ payload }) => JSON.parse(payload))).toEqual(expected);
  // Who does not run calls in steps does not say what becomes of them.
  const kinds = turnDrafts({ stop, blocks, calls }, { cuts: 2, calls: undefined }).map(({ kind }) => kind);
  expect(kinds).not.toContain("call");
});

import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { NO_TURN, nextInTurn, type TurnState } from "./turn.ts";
import { type Item, type MessageItem, toItem } from "./view.ts";

const item = (role: "user" | "assistant", block: Block, more: Partial<MessageItem> = {}): Item =>
  toItem({ from: 4, to: 4, role, blocks: [block], origin: role === "user" ? "human" : "model", ...more });
const text = (words: string): Block => ({ kind: "text", text: words });
const call = (id: string): Block => ({ kind: "tool_call", id, name: "look", input: {} });
const next = (items: readonly Item[], turn: Partial<TurnState>) =>
  nextInTurn({ items: [...items] }, { ...NO_TURN, ...turn }, "s");

describe("what has to happen next in a turn", () => {
  test("calls without a result come first, each with the step that is logged and a key of its own", () => {
    const said = item("assistant", call("a"), { blocks: [call("a"), call("b"), call("a")] });
    const calls = [
      { id: "a", step: "begun" },
      { id: "a", step: "asked" },
    ] as const;
    expect(next([said], { phase: "unanswered", calls })).toEqual({
      kind: "calls",
      calls: [
        { call: call("a"), key: "s/4/a", step: "begun" },
        { call: call("b"), key: "s/4/b", step: "unlogged" },
        { call: call("a"), key: "s/4/a/2", step: "asked" },
      ],
    });
  });

  test("a turn that is over has its answer, and any other asks the model", () => {
    const answered = [item("user", text("go")), item("assistant", text("done"))];
    const over = { kind: "nothing", text: "done", stop: "end", stopBlocks: 0 };
    expect(next(answered, { phase: "idle" })).toEqual(over);
    expect(next(answered, { phase: "unanswered" })).toEqual({ kind: "request", answer: "awaited", cuts: 0 });
    expect(next(answered, { phase: "cut", cuts: 2 })).toEqual({ kind: "request", answer: "cut", cuts: 2 });
  });
});

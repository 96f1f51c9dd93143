import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { ReadEntry } from "../log/draft.ts";
import type { MessagePayload, PayloadKind, Payloads } from "../log/payload.ts";
import { HOST } from "../log/provenance.ts";
import { foldTurn, NO_TURN, type TurnState } from "./turn.ts";

type Entry = { [Kind in PayloadKind]: readonly [Kind, Payloads[Kind]] }[PayloadKind];

/** The state of the turn after these entries. */
const turnAfter = (...entries: readonly Entry[]): TurnState =>
  entries.reduce(
    (turn, [kind, payload], index) => foldTurn(turn, { kind, sequence: index + 1, payload } as ReadEntry),
    NO_TURN,
  );

const text: Block = { kind: "text", text: "words" };
const asks = ["message", { role: "user", origin: "human", blocks: [text] }] as const;
const says = (...blocks: readonly Block[]) =>
  ["message", { role: "assistant", origin: "model", blocks, calls: "in-steps" } as MessagePayload] as const;
const calls = (...ids: readonly string[]) =>
  says(...ids.map((id): Block => ({ kind: "tool_call", id, name: "look", input: {} })));
const results = (...ids: readonly string[]) => {
  const blocks = ids.map((callId): Block => ({ kind: "tool_result", callId, content: "", status: "ok" }));
  return ["message", { role: "user", origin: "tool", blocks }] as const;
};
const step = (payload: Payloads["call"]) => ["call", payload] as const;
const turn = (payload: Payloads["turn"]) => ["turn", payload] as const;
const steps = (state: TurnState): readonly string[] => state.calls.map((call) => `${call.id} ${call.step}`);

describe("the phase of a turn", () => {
  const attached = (type: string) => ({ type, blocks: [text], provenance: HOST });
  const ended = { id: "agent", step: "ended", outcome: "done" } as const;
  test.each<[after: string, Entry, TurnState["phase"]]>([
    ["an item of the queue with content", ["taken", { queue: "q", number: 1, entries: 1 }], "unanswered"],
    ["an item of the queue without content", ["taken", { queue: "q", number: 1, entries: 0 }], "idle"],
    ["an agent whose result follows", ["agent", { ...ended, told: "next-entry" }], "unanswered"],
    ["an agent whose result is that of a call", ["agent", { ...ended, told: "by-call" }], "idle"],
    ["an agent that goes on", ["agent", { id: "agent", step: "resumed" }], "idle"],
    ["words of the user", asks, "unanswered"],
    ["a note that the answer was interrupted", ["attachment", attached("interrupted")], "unanswered"],
    ["a note of another sort", ["attachment", attached("file")], "idle"],
  ])("after %s", (_, entry, phase) => {
    expect(turnAfter(asks, says(text), entry).phase).toBe(phase);
  });
});

test("only what a hook kept from stopping counts as kept by a hook, and cuts and hooks count anew in each turn", () => {
  const byHook = turn({ step: "continued", why: "hook" });
  const kept = [asks, says(text), byHook, turn({ step: "continued", why: "cut-off" })] as const;
  expect(turnAfter(...kept)).toMatchObject({ phase: "unanswered", stopBlocks: 1 });
  const cut = turn({ step: "answered", stop: "length", phase: "cut", cuts: 2 });
  expect(turnAfter(...kept, cut, asks)).toMatchObject({ stopBlocks: 1, cuts: 2 });
  expect(turnAfter(...kept, says(text), asks)).toMatchObject({ stopBlocks: 0, cuts: 0 });
});

describe("the calls of a response", () => {
  test("each step is that of its own call", () => {
    const made = calls("a", "b", "c");
    const waiting = step({ step: "waiting", call: "a" });
    expect(steps(turnAfter(made))).toEqual(["a asked", "b asked", "c asked"]);
    expect(steps(turnAfter(made, waiting))).toEqual(["a waiting", "b asked", "c asked"]);
    expect(steps(turnAfter(made, waiting, step({ step: "allowed", call: "a" })))[0]).toBe("a allowed");
    expect(steps(turnAfter(made, step({ step: "begun", call: "b" })))).toEqual(["a asked", "b begun", "c asked"]);
    const refused = step({ step: "void", calls: ["c", "a"], why: "refused" });
    expect(steps(turnAfter(made, refused))).toEqual(["a refused", "b asked", "c refused"]);
  });

  test("of calls with one id, the first that has not begun begins, and the last that is whole is cut", () => {
    const made = calls("a", "a", "a");
    const begun = step({ step: "begun", call: "a" });
    expect(steps(turnAfter(made, begun, begun))).toEqual(["a begun", "a begun", "a asked"]);
    const cut = step({ step: "void", calls: ["a", "a"], why: "cut" });
    expect(steps(turnAfter(made, cut))).toEqual(["a asked", "a cut", "a cut"]);
  });

  test("a result takes away the first call of its id, and no other", () => {
    expect(steps(turnAfter(calls("a", "b", "a", "c"), results("a")))).toEqual(["b asked", "a asked", "c asked"]);
    expect(steps(turnAfter(calls("a", "b"), results("x", "b")))).toEqual(["a asked"]);
  });
});

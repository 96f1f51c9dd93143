import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import type { ReadEntry } from "../log/entry.ts";
import type { MessagePayload, PayloadKind, Payloads } from "../log/payload.ts";
import { HOST } from "../log/provenance.ts";
import { answerText, foldTurn, NO_TURN, nextInTurn, openCalls, type TurnState } from "./turn.ts";
import { type Item, type MessageItem, toItem, type View } from "./view.ts";

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

test("counts stops that a hook blocked, and restarts the counts of cuts and hooks in each turn", () => {
  const byHook = turn({ step: "continued", why: "hook" });
  const kept = [asks, says(text), byHook, turn({ step: "continued", why: "cut-off" })] as const;
  expect(turnAfter(...kept)).toMatchObject({ phase: "unanswered", stopBlocks: 1 });
  const cut = turn({ step: "answered", stop: "length", phase: "cut", cuts: 2 });
  expect(turnAfter(...kept, cut, asks)).toMatchObject({ stopBlocks: 1, cuts: 2 });
  expect(turnAfter(...kept, says(text), asks)).toMatchObject({ stopBlocks: 0, cuts: 0 });
});

describe("the calls of a response", () => {
  test("have a step each", () => {
    const made = calls("a", "b", "c");
    const waiting = step({ step: "waiting", call: "a" });
    expect(steps(turnAfter(made))).toEqual(["a asked", "b asked", "c asked"]);
    expect(steps(turnAfter(made, waiting))).toEqual(["a waiting", "b asked", "c asked"]);
    expect(steps(turnAfter(made, waiting, step({ step: "allowed", call: "a" })))[0]).toBe("a allowed");
    expect(steps(turnAfter(made, step({ step: "begun", call: "b" })))).toEqual(["a asked", "b begun", "c asked"]);
    const refused = step({ step: "void", calls: ["c", "a"], why: "refused" });
    expect(steps(turnAfter(made, refused))).toEqual(["a refused", "b asked", "c refused"]);
  });

  test("with one id: the first that is not begun begins, and the last that is complete is cut", () => {
    const made = calls("a", "a", "a");
    const begun = step({ step: "begun", call: "a" });
    expect(steps(turnAfter(made, begun, begun))).toEqual(["a begun", "a begun", "a asked"]);
    const cut = step({ step: "void", calls: ["a", "a"], why: "cut" });
    expect(steps(turnAfter(made, cut))).toEqual(["a asked", "a cut", "a cut"]);
  });

  test("end with a result, which removes the first call with its id only", () => {
    expect(steps(turnAfter(calls("a", "b", "a", "c"), results("a")))).toEqual(["b asked", "a asked", "c asked"]);
    expect(steps(turnAfter(calls("a", "b"), results("x", "b")))).toEqual(["a asked"]);
  });
});

describe("nextInTurn", () => {
  const item = (role: "user" | "assistant", block: Block, more: Partial<MessageItem> = {}): Item =>
    toItem({ from: 4, to: 4, role, blocks: [block], origin: role === "user" ? "human" : "model", ...more });
  const text = (words: string): Block => ({ kind: "text", text: words });
  const call = (id: string): Block => ({ kind: "tool_call", id, name: "look", input: {} });
  const next = (items: readonly Item[], turn: Partial<TurnState>) =>
    nextInTurn({ items: [...items] }, { ...NO_TURN, ...turn }, "s");

  test("returns calls without a result first, each with its logged step and its own key", () => {
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

  test("returns the answer of a finished turn, and a request for any other", () => {
    const answered = [item("user", text("go")), item("assistant", text("done"))];
    const over = { kind: "nothing", text: "done", stop: "end", stopBlocks: 0 };
    expect(next(answered, { phase: "idle" })).toEqual(over);
    expect(next(answered, { phase: "unanswered" })).toEqual({ kind: "request", answer: "awaited", cuts: 0 });
    expect(next(answered, { phase: "cut", cuts: 2 })).toEqual({ kind: "request", answer: "cut", cuts: 2 });
  });
});

describe("openCalls", () => {
  const call = (id: string) => ({ kind: "tool_call", id, name: "read", input: {} });
  const result = (callId: string) => ({ kind: "tool_result", callId, content: "", status: "ok" });
  const seal = { kind: "seal" };
  const model = (...blocks: object[]) => ({ kind: "message", role: "assistant", blocks });
  const tool = (...blocks: object[]) => ({ kind: "message", role: "user", blocks });
  const idsOf = (...items: object[]) => openCalls({ items } as unknown as View).map(({ call: { id } }) => id);

  test("returns the calls after the newest request without a result, in order", () => {
    expect(idsOf()).toEqual([]);
    expect(idsOf(seal, model(call("a"), call("b")))).toEqual(["a", "b"]);
    expect(idsOf(seal, model(call("a"), call("b")), tool(result("b")))).toEqual(["a"]);
    expect(idsOf(seal, model(call("a")), seal)).toEqual([]);
  });

  test("counts an id that is used twice once for each missing result", () => {
    expect(idsOf(seal, model(call("a"), call("a")), tool(result("a")))).toEqual(["a"]);
    expect(idsOf(seal, tool(result("a")), model(call("a")))).toEqual(["a"]);
    const items = [seal, model(call("a"), call("b"), call("a"))];
    expect(openCalls({ items } as unknown as View).map(({ count }) => count)).toEqual([1, 1, 2]);
  });
});

describe("answerText", () => {
  const model = (text: string, responseId = text) => ({
    kind: "message",
    role: "assistant",
    origin: "model",
    responseId,
    blocks: [{ kind: "text", text }],
  });
  const said = { kind: "message", role: "user", origin: "human", blocks: [{ kind: "text", text: "Go." }] };
  const cutOff = { ...said, origin: "host", attachment: "cut-off" };
  const seal = { kind: "seal" };
  const textOf = (...items: object[]) => answerText(items as unknown as readonly Item[]);

  test("returns the newest answer, with its earlier cut parts", () => {
    expect(textOf()).toBe("");
    expect(textOf(said, seal, model("Yes."))).toBe("Yes.");
    expect(textOf(said, seal, model("One. "), said, seal, model("Two."))).toBe("Two.");
    expect(textOf(said, seal, model("One, "), cutOff, seal, model("two, "), cutOff, seal, model("three."))).toBe(
      "One, two, three.",
    );
    expect(textOf(said, seal, model("Half, ", "r"), said, model("whole.", "r"), said)).toBe("Half, whole.");
  });

  test("returns an empty text for a request without an answer", () => {
    expect(textOf(said, seal, model("Yes."), said, seal)).toBe("");
  });
});

import { describe, expect, test } from "vitest";
import type { Block, ToolCall } from "../log/block.ts";
import type { AnthropicResponse } from "../providers/anthropic.ts";
import type { SessionEvent } from "../session-event.ts";
import { readEntry } from "../state/load.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { turnDrafts } from "./record.ts";
import { LOOK, openOffline } from "./testing/open-offline.ts";

const text = (words: string) => ({ type: "text", text: words });
const CALL = { type: "tool_use", id: "a", name: "look", input: { at: 1 } };

function response(content: readonly object[], id = "r1", more: object = {}): AnthropicResponse {
  const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const stop = content.includes(CALL) ? "tool_use" : "end_turn";
  const own = { id, type: "message", role: "assistant", model: "claude-opus-5-5", content, stop_reason: stop, usage };
  return { ...own, ...more } as unknown as AnthropicResponse;
}

/** A session with a prepared request. `written` returns the entries since then. */
async function open() {
  const store = memoryStore();
  const events: SessionEvent[] = [];
  const session = await openOffline(store, { tools: [LOOK], onEvent: (event) => void events.push(event) });
  await session.append("Look.");
  const request = await session.prepare();
  const requestEntry = session.history.newestEntry;
  async function written() {
    const reader = (await store.openReader("s"))!;
    const entries = [];
    for (let at = requestEntry + 1; at <= session.history.newestEntry; at++) entries.push(await readEntry(reader, at));
    return entries;
  }
  const recorded = () => events.filter((event) => event.kind === "response-recorded");
  return { session, request, requestEntry, written, recorded };
}

test("returns the text and the calls of a response, and enters it as the answer to its request", async () => {
  const { session, request, requestEntry, written, recorded } = await open();
  const result = await session.record(response([text("I "), text("look."), CALL]), request);
  expect(result).toMatchObject({ text: "I look.", calls: [{ id: "a", name: "look", input: { at: 1 } }] });
  expect(result.refusedCalls).toBeUndefined();
  expect(result.overflow).toBeUndefined();
  const [message, usage] = await written();
  expect(message).toMatchObject({
    kind: "message",
    payload: { role: "assistant", responseId: "r1", answers: requestEntry },
  });
  expect(message).not.toHaveProperty("payload.stop");
  expect(message).not.toHaveProperty("payload.calls");
  expect(usage).toMatchObject({ kind: "usage", payload: { freshTokens: 10, outputTokens: 5, answers: requestEntry } });
  expect(recorded()).toMatchObject([{ source: "main", text: "I look.", priceUsd: expect.any(Number) }]);
});

test("enters the usage but no message for an empty response", async () => {
  const { session, request, written, recorded } = await open();
  expect(await session.record(response([]), request)).toMatchObject({ text: "", calls: [] });
  const kinds = (await written()).map((entry) => entry?.kind);
  expect(kinds).toContain("usage");
  expect(kinds).not.toContain("message");
  expect(recorded()).toHaveLength(1);
});

test("enters and emits a repeated response once, and again for another request", async () => {
  const { session, request, recorded } = await open();
  const first = await session.record(response([text("A tree.")]), request);
  const newest = session.history.newestEntry;
  expect(await session.record(response([text("A tree.")]), request)).toEqual(first);
  expect(session.history.newestEntry).toBe(newest);
  expect(recorded()).toHaveLength(1);
  // A second answer to the same request is a separate response.
  await session.record(response([text("A lake.")], "r2"), request);
  expect(recorded()).toHaveLength(2);
  await session.append("And?");
  await session.record(response([text("A tree.")]), await session.prepare());
  expect(recorded()).toHaveLength(3);
});

test("rounds fractions of tokens, and marks a paused answer", async () => {
  const { session, request, written } = await open();
  const usage = { input_tokens: 10.6, output_tokens: 5.4 };
  await session.record(response([text("I look.")], "r1", { usage, stop_reason: "pause_turn" }), request);
  const [message, entered] = await written();
  expect(message).toMatchObject({ payload: { stop: "paused" } });
  expect(entered).toMatchObject({ payload: { freshTokens: 11, outputTokens: 5 } });
});

test("rejects a value that is not a response, and enters nothing", async () => {
  const { session, request, requestEntry } = await open();
  const refused = session.record({ error: "overloaded" } as unknown as AnthropicResponse, request);
  await expect(refused).rejects.toMatchObject({ name: "InvalidOptionError" });
  await expect(refused).rejects.toThrow("anthropic");
  expect(session.history.newestEntry).toBe(requestEntry);
});

describe("turnDrafts", () => {
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
  ] as const)("writes the stop reason %s with %j as %j", (stop, blocks, expected) => {
    const calls = blocks.filter((block) => block.kind === "tool_call");
    const drafts = turnDrafts({ stop, blocks, calls }, { cuts: 2, calls: "in-steps" });
    expect(drafts.map(({ payload }) => JSON.parse(payload))).toEqual(expected);
    // Without `in-steps`, no entry records the state of the calls.
    const kinds = turnDrafts({ stop, blocks, calls }, { cuts: 2, calls: undefined }).map(({ kind }) => kind);
    expect(kinds).not.toContain("call");
  });
});

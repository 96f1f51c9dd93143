import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readCodex } from "./read-codex.ts";
import type { RecordedEntry, RecordedMessage, RecordedUsage } from "./recorded.ts";

interface Line {
  type: string;
  payload: object;
}

const read = (...records: Line[]): Promise<RecordedEntry[]> => {
  const lines = records.map((record, index) => {
    const timestamp = new Date(index * 1000).toISOString();
    return { kind: "line", number: index + 1, text: JSON.stringify({ timestamp, ...record }) } as const;
  });
  return Readable.from(readCodex(Readable.from(lines))).toArray();
};
const messages = async (...records: Line[]): Promise<RecordedMessage[]> =>
  (await read(...records)).filter((entry) => entry.kind === "message");
const usages = async (...records: Line[]): Promise<RecordedUsage[]> =>
  (await read(...records)).filter((entry) => entry.kind === "usage");

const meta = (fields: object = {}): Line => ({ type: "session_meta", payload: { id: "019b", ...fields } });
const item = (payload: object): Line => ({ type: "response_item", payload });
const says = (role: string, text: string): Line =>
  item({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
const call = (callId: string): Line =>
  item({ type: "function_call", call_id: callId, name: "shell", arguments: '{"command":"ls"}' });
const output = (callId: string, content: unknown = "done"): Line =>
  item({ type: "function_call_output", call_id: callId, output: content });
const event = (type: string, fields: object = {}): Line => ({ type: "event_msg", payload: { type, ...fields } });
const turn = (turnId: string, model = "model-1"): Line => ({
  type: "turn_context",
  payload: { turn_id: turnId, model },
});

/** A report of usage: the sums of the session, and the last response. */
const tokens = (sum: number, last: { input: number; cached?: number; output?: number }): Line =>
  event("token_count", {
    info: {
      total_token_usage: { input_tokens: sum, cached_input_tokens: 0, output_tokens: 0 },
      last_token_usage: {
        input_tokens: last.input,
        cached_input_tokens: last.cached ?? 0,
        output_tokens: last.output ?? 0,
        reasoning_output_tokens: 0,
      },
      model_context_window: 100_000,
    },
  });

describe("readCodex", () => {
  test("reads a session and its instructions", async () => {
    const payload = { cli_version: "0.140.0", cwd: "/home/dev", timestamp: "2026-01-01T00:00:00Z" };
    const entries = await read(
      meta({ ...payload, base_instructions: { text: "Be brief." } }),
      says("developer", "Rules."),
    );
    expect(entries).toEqual([
      {
        kind: "session",
        agent: "codex",
        id: "019b",
        startedAtMs: Date.parse("2026-01-01T00:00:00Z"),
        version: "0.140.0",
        cwd: "/home/dev",
      },
      {
        kind: "message",
        id: "entry-0",
        branch: "main",
        atMs: 0,
        role: "system",
        origin: "agent",
        blocks: [{ kind: "text", text: "Be brief." }],
      },
      {
        kind: "message",
        id: "entry-1",
        parentId: "entry-0",
        branch: "main",
        atMs: 1000,
        role: "system",
        origin: "agent",
        blocks: [{ kind: "text", text: "Rules." }],
      },
    ]);
  });

  describe("usage", () => {
    test("counts what was read from the cache once", async () => {
      const found = await usages(
        meta(),
        turn("019c"),
        says("assistant", "hi"),
        tokens(100, { input: 100, cached: 80, output: 5 }),
      );
      expect(found).toEqual([
        {
          kind: "usage",
          responseId: "019b/response-1",
          branch: "main",
          atMs: 3000,
          model: "model-1",
          freshTokens: 20,
          cacheReadTokens: 80,
          outputTokens: 5,
          outputCount: "final",
          reasoningTokens: 0,
          windowTokens: 100_000,
        },
      ]);
    });

    test("drops reports that repeat the last, have none, or only estimate what a compaction left", async () => {
      const found = await usages(
        says("assistant", "hi"),
        tokens(100, { input: 100 }),
        tokens(100, { input: 100 }),
        event("token_count", { info: null }),
        tokens(100, { input: 0 }),
        says("assistant", "there"),
        tokens(250, { input: 150 }),
      );
      expect(found.map((usage) => usage.freshTokens)).toEqual([100, 150]);
    });

    test.each([
      ["before the results", [call("c1"), tokens(10, { input: 10 }), output("c1")]],
      ["after the results", [call("c1"), output("c1"), tokens(10, { input: 10 })]],
    ])("belongs to the response with the calls, if reported %s", async (_, round) => {
      const entries = await read(meta(), ...round, says("assistant", "done"), tokens(30, { input: 20 }));
      const responses = entries.flatMap((entry) => ("responseId" in entry ? [[entry.kind, entry.responseId]] : []));
      expect(responses).toEqual([
        ["message", "019b/response-1"],
        ["usage", "019b/response-1"],
        ["message", "019b/response-2"],
        ["usage", "019b/response-2"],
      ]);
    });

    test("gives each report a response of its own, even without items", async () => {
      const found = await usages(tokens(10, { input: 10 }), tokens(30, { input: 20 }));
      expect(found.map((usage) => usage.responseId)).toEqual(["unknown/response-1", "unknown/response-2"]);
    });
  });

  test("makes one response of all items up to the next report, result or message", async () => {
    const found = await messages(
      says("user", "hello"),
      item({ type: "reasoning", summary: [] }),
      says("assistant", "I look"),
      call("c1"),
      output("c1"),
      says("assistant", "interrupted"),
      says("user", "go on"),
      says("assistant", "done"),
    );
    expect(found.map((message) => message.responseId?.at(-1))).toEqual([
      undefined,
      "1",
      "1",
      "1",
      undefined,
      "2",
      undefined,
      "3",
    ]);
  });

  describe("items", () => {
    test.each([
      [
        "reasoning",
        { type: "reasoning", summary: [{ text: "a" }], content: [{ text: "b" }], encrypted_content: "x" },
        { kind: "thinking", text: "a\nb", signature: "x" },
      ],
      [
        "a call",
        { type: "function_call", call_id: "c", name: "f", arguments: '{"a":1}' },
        { kind: "tool_call", callId: "c", name: "f", input: { a: 1 } },
      ],
      [
        "a call with broken arguments",
        { type: "function_call", call_id: "c", name: "f", arguments: '{"a"' },
        { kind: "tool_call", callId: "c", name: "f", input: '{"a"' },
      ],
      [
        "a free-form call",
        { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" },
        { kind: "tool_call", callId: "c", name: "patch", input: "*** Begin" },
      ],
      [
        "a call named by its type",
        { type: "tool_search_call", call_id: "c", arguments: {} },
        { kind: "tool_call", callId: "c", name: "tool_search", input: {} },
      ],
      [
        "a call the provider answers",
        { type: "web_search_call", status: "completed" },
        { kind: "opaque", type: "web_search_call", value: { type: "web_search_call", status: "completed" } },
      ],
      [
        "a result",
        { type: "function_call_output", call_id: "c", output: "ok" },
        { kind: "tool_result", callId: "c", content: "ok", status: "unknown" },
      ],
      [
        "a failed result",
        { type: "function_call_output", call_id: "c", output: { content: "no", success: false } },
        { kind: "tool_result", callId: "c", content: "no", status: "error" },
      ],
      [
        "a result in parts",
        { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "ok" }] },
        { kind: "tool_result", callId: "c", content: [{ kind: "text", text: "ok" }], status: "unknown" },
      ],
    ])("reads %s", async (_, payload, block) => {
      expect((await messages(item(payload)))[0]?.blocks).toEqual([block]);
    });

    test.each([
      ["human", "fix <b>it</b>"],
      ["agent", "<environment_context>\n<cwd>/</cwd>"],
      ["agent", "# AGENTS.md instructions for /home/dev"],
      ["agent", "<turn_aborted>"],
      ["agent", '<subagent_notification>\n{"status":"done"}'],
    ])("finds %s origin in %j", async (origin, text) => {
      expect(await messages(says("user", text))).toMatchObject([{ role: "user", origin }]);
    });

    test("passes over what the model never saw", async () => {
      const display = [
        event("user_message", { message: "hello" }),
        event("agent_message"),
        item({ type: "ghost_snapshot" }),
      ];
      expect(await read(...display)).toEqual([]);
    });
  });

  describe("compaction", () => {
    const compacted = (payload: object): Line => ({ type: "compacted", payload });

    test("has what the model saw then", async () => {
      const history = [
        says("user", "hello"),
        says("assistant", "hi"),
        item({ type: "compaction", encrypted_content: "x" }),
      ];
      const entries = await read(
        says("user", "hello"),
        tokens(90_000, { input: 90_000, output: 500 }),
        compacted({ message: "", replacement_history: history.map((line) => line.payload) }),
        says("user", "go on"),
      );
      expect(entries).toMatchObject([
        { kind: "message" },
        { kind: "usage" },
        {
          kind: "compaction",
          id: "entry-2",
          parentId: "entry-0",
          tokensBefore: 90_500,
          kept: {
            kind: "replacement",
            messages: [
              { id: "entry-2/0", parentId: "entry-2", origin: "human" },
              { id: "entry-2/1", parentId: "entry-2/0", origin: "model" },
              { id: "entry-2/2", parentId: "entry-2/1", origin: "summary" },
            ],
          },
        },
        { kind: "message", parentId: "entry-2" },
      ]);
    });

    test("knows a summary in the clear", async () => {
      const history = [says("user", "Another model began this.\nAll tests pass.").payload];
      const entries = await read(compacted({ message: "All tests pass.", replacement_history: history }));
      expect(entries).toMatchObject([{ kept: { messages: [{ origin: "summary" }] } }]);
    });

    test("of old versions is followed by its summary", async () => {
      expect(await read(compacted({ message: "All tests pass." }))).toMatchObject([
        { kind: "compaction", id: "entry-0", kept: { kind: "unrecorded" } },
        { kind: "message", parentId: "entry-0", origin: "summary", blocks: [{ text: "All tests pass." }] },
      ]);
    });
  });

  test("marks what a fork copied, up to its own first turn", async () => {
    const entries = await read(
      meta({ id: "019b", forked_from_id: "019a" }),
      meta({ id: "019a" }),
      event("task_started", { turn_id: "019a-1" }),
      says("assistant", "hi"),
      tokens(10, { input: 10 }),
      event("task_started", { turn_id: "019b-1" }),
      says("assistant", "on my own"),
      tokens(30, { input: 20 }),
    );
    expect(entries).toMatchObject([
      { kind: "session", id: "019b", parentSession: "019a" },
      { kind: "message", branch: "inherited" },
      { kind: "usage", branch: "inherited" },
      { kind: "message", branch: "main" },
      { kind: "usage", branch: "main" },
    ]);
  });

  test("goes on from before the messages that were rolled back", async () => {
    const found = await messages(
      says("user", "one"),
      says("assistant", "1"),
      says("user", "two"),
      says("assistant", "2"),
      says("user", "three"),
      event("thread_rolled_back", { num_turns: 2 }),
      says("user", "other"),
    );
    expect(found.at(-1)).toMatchObject({ parentId: "entry-1" });
  });

  test("goes on from the start when all was rolled back", async () => {
    const found = await messages(
      says("user", "one"),
      event("thread_rolled_back", { num_turns: 9 }),
      says("user", "other"),
    );
    expect(found[1]).toEqual(expect.not.objectContaining({ parentId: expect.anything() }));
  });

  test("reports a line without a payload", async () => {
    const line = { type: "response_item", payload: 7 } as unknown as Line;
    expect(await read(line, says("user", "hello"))).toMatchObject([
      { kind: "damage", line: 1, reason: "malformed" },
      { kind: "message" },
    ]);
  });
});

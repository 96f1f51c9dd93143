import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import type { AnthropicResponse } from "./facts.ts";
import { readMessages, readResponse } from "./read.ts";
import { renderMessage } from "./render.ts";

describe("readResponse", () => {
  const usage = {
    input_tokens: 2,
    cache_read_input_tokens: 21_954,
    cache_creation_input_tokens: 8_338,
    output_tokens: 11,
  };

  function response(fields: object): AnthropicResponse {
    const base = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5-5", content: [], usage };
    return { ...base, stop_reason: "end_turn", ...fields } as unknown as AnthropicResponse;
  }

  const provider = "anthropic";
  const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
  const cited = { type: "text", text: "so it says", citations: [{ type: "char_location", cited_text: "so" }] };
  const ofProgram = {
    type: "tool_use",
    id: "toolu_1",
    name: "read",
    input: {},
    caller: { type: "code_execution_20260120", tool_id: "srvtoolu_1" },
  };
  const redacted = { type: "redacted_thinking", data: "sealed" };

  test.each<[string, object, Block]>([
    ["text", { type: "text", text: "hi", citations: null }, { kind: "text", text: "hi" }],
    ["text with citations", cited, { kind: "text", text: "so it says", native: { provider, block: cited } }],
    [
      "thinking without text",
      { type: "thinking", thinking: "", signature: "sig" },
      { kind: "thinking", provider, text: "", signature: "sig" },
    ],
    ["redacted thinking", redacted, { kind: "thinking", provider, text: "", native: { provider, block: redacted } }],
    [
      "a tool call of the model",
      { type: "tool_use", id: "toolu_1", name: "read", input: { b: 1, a: 2 }, caller: { type: "direct" } },
      { kind: "tool_call", id: "toolu_1", name: "read", input: { b: 1, a: 2 } },
    ],
    [
      "a tool call of a program",
      ofProgram,
      { kind: "tool_call", id: "toolu_1", name: "read", input: {}, native: { provider, block: ofProgram } },
    ],
    ["a tool call that the service runs", search, { kind: "opaque", native: { provider, block: search } }],
  ])("reads %s and renders the same block", (_, block, expected) => {
    const { blocks } = readResponse(response({ content: [block] }));
    expect(blocks).toEqual([expected]);
    const [message] = renderMessage({ role: "assistant", blocks });
    const isPlain = (value: unknown): boolean => value !== null && (value as { type?: string }).type !== "direct";
    const emitted = Object.fromEntries(Object.entries(block).filter(([, value]) => isPlain(value)));
    expect(JSON.stringify(message?.content)).toBe(JSON.stringify([emitted]));
  });

  test.each([
    ["end_turn", "end"],
    ["stop_sequence", "end"],
    ["tool_use", "tools"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "window"],
    ["pause_turn", "paused"],
    ["refusal", "refused"],
    ["compaction", "compacted"],
    ["something new", "other"],
    [null, "other"],
  ])("reads the stop reason %o as %s", (stop_reason, stop) => {
    expect(readResponse(response({ stop_reason })).stop).toBe(stop);
  });

  test("reads fresh, cached and written input, one-hour writes and reasoning", () => {
    expect(readResponse(response({})).usage).toEqual({
      freshTokens: 2,
      cacheReadTokens: 21_954,
      cacheWriteTokens: 8_338,
      outputTokens: 11,
    });
    const detailed = {
      ...usage,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 8_338 },
      output_tokens_details: { thinking_tokens: 7 },
    };
    expect(readResponse(response({ usage: detailed })).usage).toMatchObject({
      cacheWrite1hTokens: 8_338,
      reasoningTokens: 7,
    });
  });

  test("reads the last message pass of several, and never a compaction pass", () => {
    const pass = (type: string, input_tokens: number): object => ({
      type,
      input_tokens,
      cache_read_input_tokens: 1,
      cache_creation_input_tokens: 2,
      output_tokens: 5,
    });
    const iterations = [pass("message", 10), pass("message", 20), pass("compaction", 150_000)];
    const read = readResponse(response({ usage: { ...usage, output_tokens: 10, iterations } })).usage;
    expect(read).toEqual({ freshTokens: 20, cacheReadTokens: 1, cacheWriteTokens: 2, outputTokens: 10 });
  });

  test("reads null counts as zero", () => {
    const nulls = {
      input_tokens: 5,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      output_tokens: 1,
    };
    expect(readResponse(response({ usage: nulls })).usage).toEqual({
      freshTokens: 5,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 1,
    });
  });

  test.each<[string, object | null, object | undefined]>([
    ["found no difference", null, undefined],
    ["has not finished comparing", { cache_miss_reason: null }, undefined],
    [
      "found other tools",
      { cache_miss_reason: { type: "tools_changed", cache_missed_input_tokens: 7 } },
      { reason: "tools", missedTokens: 7 },
    ],
    ["does not know", { cache_miss_reason: { type: "unavailable" } }, { reason: "unknown" }],
    ["sends an unknown reason", { cache_miss_reason: { type: "moon_changed" } }, { reason: "unknown" }],
  ])("reads the cache diagnosis if the service %s", (_, diagnostics, expected) => {
    expect(readResponse(response({ diagnostics })).cacheDiagnosis).toEqual(expected);
  });
});

describe("readMessages", () => {
  test("reads each tool result as a separate message, in order", () => {
    const content = [
      { type: "text", text: "before" },
      { type: "tool_result", tool_use_id: "a", content: "done", cache_control: { type: "ephemeral" } },
      { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "no" }], is_error: true },
      { type: "text", text: "after", cache_control: { type: "ephemeral" } },
      { type: "image", source: { type: "url", url: "https://x/y.png" } },
    ];
    expect(readMessages([{ role: "user", content }])).toEqual([
      { role: "user", origin: "human", blocks: [{ kind: "text", text: "before" }] },
      {
        role: "user",
        origin: "tool",
        blocks: [{ kind: "tool_result", callId: "a", content: "done", status: "ok" }],
      },
      {
        role: "user",
        origin: "tool",
        blocks: [{ kind: "tool_result", callId: "b", content: "no", status: "error" }],
      },
      {
        role: "user",
        origin: "human",
        blocks: [
          { kind: "text", text: "after" },
          { kind: "image", source: { kind: "url", url: "https://x/y.png" } },
        ],
      },
    ]);
  });

  test("reads texts, system instructions and unsigned thinking", () => {
    const messages = [
      { role: "user", content: "hello" },
      { role: "system", content: "be brief" },
      { role: "assistant", content: "hi" },
      { role: "assistant", content: [{ type: "thinking", thinking: "unsigned" }] },
    ];
    expect(readMessages(messages)).toEqual([
      { role: "user", origin: "human", blocks: [{ kind: "text", text: "hello" }] },
      { role: "user", origin: "host", blocks: [{ kind: "text", text: "be brief" }] },
      { role: "assistant", origin: "model", blocks: [{ kind: "text", text: "hi" }] },
      {
        role: "assistant",
        origin: "model",
        blocks: [{ kind: "thinking", provider: "anthropic", text: "unsigned" }],
      },
    ]);
  });

  test("keeps unknown parts of tool results", () => {
    const found = { type: "search_result", source: "x", title: "y", content: [] };
    const content = [{ type: "tool_result", tool_use_id: "a", content: [found] }];
    expect(readMessages([{ role: "user", content }])[0]?.blocks).toEqual([
      {
        kind: "tool_result",
        callId: "a",
        content: [{ kind: "opaque", native: { provider: "anthropic", block: found } }],
        status: "ok",
      },
    ]);
  });

  test("reads any value without throwing", () => {
    const role = fc.oneof(fc.constantFrom("user", "assistant", "system"), fc.anything());
    const block = fc.record(
      {
        type: fc.constantFrom("text", "tool_use", "tool_result", "thinking", "image", "document", "new"),
        text: fc.anything(),
        content: fc.anything(),
        source: fc.anything(),
        input: fc.anything(),
      },
      { requiredKeys: [] },
    );
    const content = fc.oneof(fc.array(fc.oneof(block, fc.anything())), fc.anything());
    const message = fc.oneof(fc.record({ role, content }), fc.anything());
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        for (const { blocks } of readMessages(messages)) expect(blocks.length).toBeGreaterThan(0);
      }),
    );
  });
});

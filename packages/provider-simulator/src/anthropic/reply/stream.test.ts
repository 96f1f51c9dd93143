import { expect, test } from "vitest";
import { misbehave } from "../../misbehave.ts";
import type { Reply } from "../../script.ts";
import { createAnthropic } from "../anthropic.ts";

function eventsOf(reply: Reply, fields: object = {}, betas?: string) {
  const anthropic = createAnthropic({ script: () => reply });
  const answered = anthropic.handle({
    method: "POST",
    path: "/v1/messages",
    headers: { "x-api-key": "k", "anthropic-version": "2026-10-21", ...(betas ? { "anthropic-beta": betas } : {}) },
    body: JSON.stringify({
      model: "claude-opus-5-5",
      max_tokens: 4_000,
      stream: true,
      messages: [{ role: "user", content: "Go" }],
      thinking: { type: "adaptive", display: "summarized" },
      ...fields,
    }),
  });
  if (answered?.kind !== "stream") throw new Error("not streamed");
  return answered.events.map(({ event, data }) => ({ event, ...JSON.parse(data) }));
}
const everything: Reply = {
  words: [
    { kind: "thinking", text: "Let me think about it for quite some time." },
    { kind: "text", text: "A sentence longer than one piece of the stream." },
    { kind: "tool-call", name: "read", input: { path: "a.ts" } },
  ],
};

test("1.6 the order of events, every one with its own name", () => {
  const events = eventsOf(everything);
  expect(events.every(({ event, type }) => event === type)).toBe(true);
  const order = events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`));
  expect(order.filter((name, index) => name !== order[index - 1])).toEqual([
    "message_start",
    "ping",
    ...[0, 1, 2].flatMap((index) =>
      ["content_block_start", "content_block_delta", "content_block_stop"].map((type) => `${type} ${index}`),
    ),
    "message_delta",
    "message_stop",
  ]);
});

test("1.6 message_start has the input side and no content; message_delta has the stop reason and all of the usage", () => {
  const events = eventsOf(everything);
  const { message } = events[0]!;
  expect(message).toMatchObject({ content: [], stop_reason: null, stop_sequence: null, role: "assistant" });
  const delta = events.at(-2)!;
  expect(delta.delta).toEqual({ stop_reason: "tool_use", stop_sequence: null, stop_details: null, container: null });
  expect(delta.usage.input_tokens).toBe(message.usage.input_tokens);
  expect(delta.usage.output_tokens).toBeGreaterThan(message.usage.output_tokens);
  expect(message.usage.iterations).toMatchObject([{ type: "message", output_tokens: message.usage.output_tokens }]);
  expect(delta.usage.iterations).toMatchObject([{ type: "message", output_tokens: delta.usage.output_tokens }]);
  expect(delta.usage.output_tokens_details.thinking_tokens).toBeGreaterThan(0);
});

test("1.6 a signature comes last in its thinking block", () => {
  const deltas = eventsOf(everything)
    .filter(({ type, index }) => type === "content_block_delta" && index === 0)
    .map(({ delta }) => delta.type);
  expect(deltas.at(-1)).toBe("signature_delta");
  expect(new Set(deltas.slice(0, -1))).toEqual(new Set(["thinking_delta"]));
});

test("1.6 tool input streams as text that need not be JSON", () => {
  const events = eventsOf(misbehave.garbleToolInput({ tools: ["read"] } as never));
  const json = events.filter(({ delta }) => delta?.type === "input_json_delta").map(({ delta }) => delta.partial_json);
  expect(json.join("")).toBe('{"path": "READ');
});

test("1.6 a signed compaction carries its signature in the start event and all of its content in one delta", () => {
  const events = eventsOf(
    { words: [{ kind: "text", text: "The story so far." }] },
    { compaction: { type: "summarize" } },
    "compact-2026-09-04",
  );
  const start = events.find(({ type }) => type === "content_block_start")!;
  expect(start.content_block).toMatchObject({ type: "compaction", content: null, signature: expect.any(String) });
  expect(events.filter(({ type }) => type === "content_block_delta").map(({ delta }) => delta)).toEqual([
    { type: "compaction_delta", content: "The story so far.", encrypted_content: null },
  ]);
});

test("1.6 context_management stands beside the delta, input_transformations in the start", () => {
  const events = eventsOf(everything, {}, "thinking-binding-controls-2026-08-01");
  expect(events[0]!.message.input_transformations).toEqual([]);
  expect(events.at(-2)).toHaveProperty("context_management", null);
});

import { expect, test } from "vitest";
import { misbehave } from "../../misbehave.ts";
import type { Reply } from "../../script.ts";
import { createAnthropic } from "../anthropic.ts";

const answer = (reply: Reply, fields: object = {}) => {
  const request = { model: "claude-opus-5", max_tokens: 1_000, messages: [{ role: "user", content: "Go" }], ...fields };
  const result = createAnthropic({ script: () => reply }).answer(request);
  if (result.kind === "refused") throw new Error(result.message);
  return result.response;
};
const says = (text: string): Reply => ({ words: [{ kind: "text", text }] });

test.each<[string, Reply, string]>([
  ["end_turn", says("Done."), "end_turn"],
  ["tool_use", { words: [{ kind: "tool-call", name: "read", input: {} }] }, "tool_use"],
  ["pause_turn", { ...says("Wait"), stop: "pause" }, "pause_turn"],
  ["refusal", misbehave.refuse(), "refusal"],
  ["max_tokens, said by the model", misbehave.stopAtOutputLimit(), "max_tokens"],
])("1.5 stop_reason %s", (_, reply, stopReason) => {
  expect(answer(reply).stop_reason).toBe(stopReason);
});

test("1.5 a refusal has details, nothing else has", () => {
  expect(answer(misbehave.refuse()).stop_details).toEqual({
    type: "refusal",
    category: "general_harms",
    explanation: "This cannot be helped with.",
  });
  expect(answer(says("Done.")).stop_details).toBeNull();
});

test("1.5 text is cut at max_tokens, never through a surrogate pair", () => {
  const { content, stop_reason, usage } = answer(says("😀".repeat(100)), { max_tokens: 10 });
  expect({ stop_reason, output: usage.output_tokens }).toEqual({ stop_reason: "max_tokens", output: 10 });
  expect(content[0]!["text"]).toMatch(/^(😀)+$/u);
});

test("1.5 a call that does not fit never arrives", () => {
  const reply: Reply = { words: [{ kind: "tool-call", name: "write", input: { text: "x".repeat(500) } }] };
  expect(answer(reply, { max_tokens: 10 })).toMatchObject({ content: [], stop_reason: "max_tokens" });
});

test("5 newer models stop where the window is full", () => {
  const messages = [{ role: "user", content: "x".repeat(3_499_930) }];
  expect(answer(says("y".repeat(3_500)), { messages })).toMatchObject({
    stop_reason: "model_context_window_exceeded",
    usage: { input_tokens: 999_984, output_tokens: 16 },
  });
});

test("1.1 a stop sequence cuts the text before it and is named", () => {
  const stopped = answer(says("one STOP two END"), { stop_sequences: ["END", "STOP"] });
  expect(stopped).toMatchObject({
    content: [{ text: "one " }],
    stop_reason: "stop_sequence",
    stop_sequence: "STOP",
  });
  expect(answer(says("one two"), { stop_sequences: ["STOP"] })).toMatchObject({
    stop_reason: "end_turn",
    stop_sequence: null,
  });
});

test("1.1 a stop sequence at the very start leaves no text, and what is left can be sent back", () => {
  const stopped = answer(says("STOP two"), { stop_sequences: ["STOP"] });
  expect(stopped).toMatchObject({ content: [], stop_reason: "stop_sequence", stop_sequence: "STOP" });
  const read: Reply = { words: [{ kind: "tool-call", name: "read", input: {} }, ...says("STOP").words] };
  const { content } = answer(read, { stop_sequences: ["STOP"] });
  const result = { type: "tool_result", tool_use_id: content[0]!["id"], content: "Done." };
  const messages = [
    { role: "user", content: "Go" },
    { role: "assistant", content },
    { role: "user", content: [result] },
  ];
  expect(answer(says("Well."), { messages }).stop_reason).toBe("end_turn");
});

test("1.5 all fields of a message and of its usage", () => {
  expect(answer(says("Done."))).toEqual({
    id: expect.stringMatching(/^msg_01/),
    type: "message",
    role: "assistant",
    model: "claude-opus-5",
    content: [{ type: "text", text: "Done.", citations: null }],
    stop_reason: "end_turn",
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: {
      input_tokens: 5,
      output_tokens: 2,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: "standard",
      inference_geo: "not_available",
      speed: "standard",
      iterations: [
        {
          type: "message",
          model: "claude-opus-5",
          input_tokens: 5,
          output_tokens: 2,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        },
      ],
    },
  });
});

test("1.2 calls get unique ids across answers", () => {
  const anthropic = createAnthropic({
    script: () => ({ words: [1, 2].map((line) => ({ kind: "tool-call", name: "read", input: { line } }) as const) }),
  });
  const request = { model: "claude-opus-5", max_tokens: 1_000, messages: [{ role: "user", content: "Go" }] };
  const ids = [1, 2].flatMap(() => {
    const result = anthropic.answer(request);
    return result.kind === "answered" ? result.response.content.map((block) => block["id"]) : [];
  });
  expect(new Set(ids).size).toBe(4);
});

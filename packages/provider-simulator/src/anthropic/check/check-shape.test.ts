import { expect, test } from "vitest";
import { createAnthropic } from "../anthropic.ts";
import type { CallOptions } from "../request.ts";

const hello = [{ role: "user", content: "Hello" }];
const request = (fields: object = {}) => ({ model: "claude-opus-5-5", max_tokens: 100, messages: hello, ...fields });
const tool = { name: "read_file", input_schema: { type: "object" } };

const judge = (value: unknown, call: CallOptions = {}) => {
  const verdict = createAnthropic().judge(value, call);
  return verdict.kind === "refused" ? verdict.message : "accepted";
};

test.each<[string, object]>([
  ["1.1 required fields alone", {}],
  ["1.1 top-level cache_control", { cache_control: { type: "ephemeral", ttl: "1h" } }],
  [
    "1.1 container, inference_geo, metadata, service_tier",
    {
      container: "container_1",
      inference_geo: "us",
      metadata: { user_id: "u" },
      service_tier: "standard_only",
    },
  ],
  ["1.1 output_config with effort and format", { output_config: { effort: "xhigh", format: { type: "json_schema" } } }],
  ["1.1 speed and stop_sequences", { speed: "fast", stop_sequences: ["END"] }],
  ["1.1 system as text", { system: "Be brief." }],
  ["1.1 system as blocks", { system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] }],
  ["1.1 consecutive messages of one role", { messages: [...hello, ...hello] }],
  [
    "1.1 nulls where the types allow them",
    {
      cache_control: null,
      diagnostics: null,
      speed: null,
      inference_geo: null,
      output_config: { effort: null },
    },
  ],
  [
    "1.3 a custom tool with every field",
    {
      tools: [
        {
          ...tool,
          type: "custom",
          description: "Reads.",
          cache_control: { type: "ephemeral" },
          defer_loading: false,
          eager_input_streaming: true,
          input_examples: [],
          strict: true,
          allowed_callers: ["direct"],
        },
      ],
    },
  ],
  ["4 the memory tool without a schema", { tools: [{ type: "memory_20250818", name: "memory" }] }],
])("%s is accepted", (_, fields) => {
  expect(judge(request(fields))).toBe("accepted");
});

test.each<[string, unknown, string]>([
  ["1.1 no object", [], "Input should be a valid dictionary"],
  ["1.1 model missing", { max_tokens: 1, messages: hello }, "model: Field required"],
  ["1.1 messages missing", { max_tokens: 1, model: "claude-opus-5-5" }, "messages: Field required"],
  ["1.1 max_tokens missing", { messages: hello, model: "claude-opus-5-5" }, "max_tokens: Field required"],
  ["1.1 max_tokens below zero", request({ max_tokens: -1 }), "max_tokens: Input should be greater than or equal to 0"],
  ["1.1 max_tokens not whole", request({ max_tokens: 1.5 }), "max_tokens: Input should be a valid integer"],
  ["1.1 unknown field", request({ temprature: 1 }), "temprature: Extra inputs are not permitted"],
  ["1.1 no messages", request({ messages: [] }), "messages: at least one message is required"],
  [
    "1.1 more than 100,000 messages",
    request({ messages: Array.from({ length: 100_001 }, () => hello[0]) }),
    "messages: List should have at most 100000 items after validation, not 100001",
  ],
  [
    "1.1 unknown role",
    request({ messages: [{ role: "tool", content: "x" }] }),
    "messages.0.role: Input should be 'user', 'assistant' or 'system'",
  ],
  ["1.1 no content", request({ messages: [{ role: "user" }] }), "messages.0.content: Field required"],
  ["1.1 unknown speed", request({ speed: "warp" }), "speed: Input should be 'standard' or 'fast'"],
  [
    "1.1 unknown service tier",
    request({ service_tier: "gold" }),
    "service_tier: Input should be 'auto' or 'standard_only'",
  ],
  ["1.1 stop sequences not text", request({ stop_sequences: [1] }), "stop_sequences.0: Input should be a valid string"],
  [
    "1.1 unknown effort",
    request({ output_config: { effort: "some" } }),
    "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  ],
  [
    "1.1 task budget without its beta",
    request({ output_config: { task_budget: {} } }),
    "output_config.task_budget: Extra inputs are not permitted",
  ],
  [
    "1.1 empty system text",
    request({ system: [{ type: "text", text: "" }] }),
    "system: text content blocks must be non-empty",
  ],
  [
    "1.1 compaction without its beta",
    request({ compaction: { type: "summarize" } }),
    "compaction: Extra inputs are not permitted",
  ],
  [
    "1.1 context_management without a beta",
    request({ context_management: {} }),
    "context_management: Extra inputs are not permitted",
  ],
  ["1.1 thread without its beta", request({ thread: { type: "create" } }), "thread: Extra inputs are not permitted"],
  [
    "0.4 temperature on 2026-10-21",
    request({ temperature: 1 }),
    "temperature: Sampling parameters are not supported on this version of the API",
  ],
  [
    "0.4 top_p on 2026-10-21",
    request({ top_p: 1 }),
    "top_p: Sampling parameters are not supported on this version of the API",
  ],
  [
    "0.4 top_k on 2026-10-21",
    request({ top_k: 1 }),
    "top_k: Sampling parameters are not supported on this version of the API",
  ],
  [
    "1.3 tool without a name",
    request({ tools: [{ input_schema: { type: "object" } }] }),
    "tools.0.custom.name: Field required",
  ],
  ["1.3 tool without a schema", request({ tools: [{ name: "a" }] }), "tools.0.custom.input_schema: Field required"],
  [
    "1.3 schema that is no object",
    request({ tools: [{ name: "a", input_schema: { type: "array" } }] }),
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    "1.3 tool with an unknown field",
    request({ tools: [{ ...tool, run: 1 }] }),
    "tools.0.custom.run: Extra inputs are not permitted",
  ],
  ["1.3 two tools of one name", request({ tools: [tool, tool] }), "tools: Tool names must be unique."],
  [
    "1.7 unknown lifetime",
    request({ cache_control: { type: "ephemeral", ttl: "2h" } }),
    "cache_control.ttl: Input should be '5m' or '1h'",
  ],
  [
    "1.7 unknown kind of mark",
    request({ tools: [{ ...tool, cache_control: { type: "forever" } }] }),
    "tools.0.custom.cache_control.type: Input should be 'ephemeral'",
  ],
  [
    "1.7 cache on empty system text",
    request({ system: [{ type: "text", text: "", cache_control: { type: "ephemeral" } }] }),
    "system.0.text: cache_control cannot be set for empty text blocks",
  ],
])("%s is refused", (_, value, message) => {
  expect(judge(value)).toBe(message);
});

test("0.4 sampling parameters are still taken on version 2023-06-01", () => {
  expect(judge(request({ temperature: 1, top_p: 0.5, top_k: 3 }), { version: "2023-06-01" })).toBe("accepted");
});

test("3.5 count_tokens takes no max_tokens and nothing else that only shapes an answer", () => {
  const count = (fields: object) =>
    createAnthropic().countTokens({ model: "claude-opus-5-5", messages: hello, ...fields });
  expect(count({})).toEqual({ inputTokens: 6, originalTokens: 6 });
  for (const field of ["max_tokens", "stream", "stop_sequences", "metadata", "diagnostics", "service_tier"]) {
    expect(count({ [field]: 1 })).toMatchObject({ message: `${field}: Extra inputs are not permitted` });
  }
});

test("1.1 a broken rule of shape comes before one of content, and what no parser can read before both", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "" }] },
    { role: "user", content: 5 },
  ];
  expect(judge(request({ messages }))).toBe("messages.1.content: Input should be a valid list");
  expect(judge(request({ messages, system: "\ud83d" }))).toMatch(
    /^The request body is not valid JSON: no low surrogate/,
  );
});

test("1.7 a refusal has the outer type, the error and a request id that is also in the header", () => {
  const verdict = createAnthropic().judge({});
  expect(verdict).toEqual({
    kind: "refused",
    status: 400,
    headers: expect.objectContaining({ "request-id": expect.stringMatching(/^req_01/) }),
    body: {
      type: "error",
      error: { type: "invalid_request_error", message: "model: Field required" },
      request_id: expect.stringMatching(/^req_01/),
    },
    message: "model: Field required",
  });
});

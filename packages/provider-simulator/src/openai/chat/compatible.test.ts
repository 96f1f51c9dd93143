import { describe, expect, it } from "vitest";
import { manualClock } from "../../clock.ts";
import { answer, callTool, callTools, think } from "../../script.ts";
import { bytesTokenizer } from "../../tokenizer.ts";
import { createOpenAiChat, type OpenAiChatOptions } from "./chat.ts";
import { type CompatibleServer, compatibleProfiles } from "./compatible.ts";
import { serving } from "./compatible-profile.ts";

const user = (content: string) => ({ role: "user", content });
const small = { local: { id: "local", ...serving(1_000) } };
const tokens = (count: number): string => "abcd".repeat(count - 4);

function face(server: CompatibleServer, options: OpenAiChatOptions = {}) {
  return createOpenAiChat({
    clock: manualClock(),
    tokenizer: bytesTokenizer({ bytesPerToken: 4 }),
    profile: compatibleProfiles[server],
    models: small,
    ...options,
  });
}

const overflowing = { model: "local", messages: [user(tokens(1_234))] };

describe("7.5 overflow in other servers' words", () => {
  it.each<[CompatibleServer, number, RegExp, object]>([
    [
      "llama.cpp",
      400,
      /exceeds the available context size/,
      { error: { type: "exceed_context_size_error", code: 400, n_prompt_tokens: 1_234, n_ctx: 1_000 } },
    ],
    [
      "llama.cpp status 200",
      200,
      /exceeds the available context size/,
      { error: { n_prompt_tokens: 1_234, n_ctx: 1_000 } },
    ],
    ["Ollama strict", 400, /^prompt too long; exceeded max context length by 234 tokens$/, { error: {} }],
    [
      "vLLM",
      400,
      /maximum context length is 1000 tokens.*requested 0 output tokens.*prompt contains at least 1001 input tokens/,
      { error: { type: "BadRequestError", code: 400 } },
    ],
    ["LM Studio", 400, /greater than the context length/, { error: expect.any(String) }],
    ["LM Studio 0.3", 400, /first 1234 tokens.*context length of only 1000 tokens/, { error: expect.any(String) }],
    [
      "Groq",
      400,
      /^Please reduce the length of the messages or completion\.$/,
      { error: { param: "messages", code: "context_length_exceeded" } },
    ],
    [
      "OpenRouter",
      400,
      /maximum context length is 1000 tokens. However, you requested about 1234 tokens/,
      { error: { code: 400 } },
    ],
    [
      "OpenRouter Poolside",
      400,
      /^Input length 1234 exceeds the maximum allowed input length of 1000 tokens\.$/,
      { error: { code: 400 } },
    ],
    [
      "DeepSeek",
      400,
      /maximum context length is 1000 tokens. However, you requested 1234 tokens/,
      { error: { code: "invalid_request_error" } },
    ],
    [
      "Together",
      400,
      /^The input \(1234 tokens\) is longer than the model's context length \(1000 tokens\)\.$/,
      { error: {} },
    ],
    ["xAI", 400, /maximum prompt length is 1000 but the request contains 1234 tokens/, { error: expect.any(String) }],
    [
      "Mistral",
      400,
      /^Prompt contains 1234 tokens.*too large for model with 1000 maximum context length$/,
      { object: "error" },
    ],
    ["Kimi", 400, /exceeded model token limit: 1000 \(requested: 1234\)/, { error: { type: "invalid_request_error" } }],
    ["MiniMax", 400, /context window exceeds limit \(2013\)/, { error: {} }],
    ["DashScope", 400, /Range of input length should be \[1, 1000\]/, { error: { code: "invalid_parameter_error" } }],
    ["z.ai refusing", 400, /^Prompt exceeds max length$/, { error: { code: "1261" } }],
    [
      "Copilot",
      400,
      /^prompt token count of 1234 exceeds the limit of 1000$/,
      { error: { code: "model_max_prompt_tokens_exceeded" } },
    ],
    [
      "Gemini",
      400,
      /input token count \(1234\) exceeds the maximum number of tokens allowed \(1000\)/,
      [{ error: { status: "INVALID_ARGUMENT" } }],
    ],
    ["LiteLLM", 400, /exceeds the model's maximum context length of 1000 tokens/, { error: { code: "400" } }],
    ["DS4", 400, /^prompt has 1234 tokens, but the configured context size is 1000 tokens$/, { error: {} }],
    ["Cerebras", 400, /^$/, undefined as unknown as object],
    ["Cerebras status 413", 413, /^$/, undefined as unknown as object],
  ])("7.5 %s", (server, status, message, body) => {
    const verdict = face(server).judge(overflowing);
    if (verdict.kind === "accepted") throw new Error("accepted");
    expect(verdict.status).toBe(status);
    expect(verdict.message).toMatch(message);
    if (body === undefined) expect(verdict.body).toBeUndefined();
    else expect(verdict.body).toMatchObject(body);
    expect(face(server).judge({ model: "local", messages: [user(tokens(1_000))] }).kind).toBe("accepted");
  });

  it("7.5 vLLM counts the output that was asked for and stops counting at the limit", () => {
    const verdict = face("vLLM").judge({ model: "local", messages: [user(tokens(900))], max_tokens: 200 });
    expect(verdict).toMatchObject({
      message:
        "This model's maximum context length is 1000 tokens. However, you requested 200 output tokens and your prompt contains at least 801 input tokens, for a total of at least 1001 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=801)",
    });
  });

  it("7.5 Ollama cuts the front in silence, and its usage tells what was kept", () => {
    const service = face("Ollama");
    const messages = [
      { role: "system", content: tokens(50) },
      user(tokens(800)),
      { role: "assistant", content: tokens(100) },
      user(tokens(300)),
    ];
    const answered = service.answer({ model: "local", messages });
    expect(answered).toMatchObject({ kind: "answered", response: { usage: { prompt_tokens: 350 } } });
    expect(service.judge(overflowing)).toMatchObject({ kind: "accepted", inputTokens: 1_000 });
    const tools = [{ type: "function", function: { name: "read" } }];
    expect(service.answer({ ...overflowing, tools })).toMatchObject({
      acceptance: { inputTokens: 1_000 },
      response: { choices: [{ finish_reason: "stop" }], usage: { prompt_tokens: 1_000 } },
    });
  });

  it("7.5 MiMo fills the window and has no room to answer", () => {
    const answered = face("MiMo").answer(overflowing);
    expect(answered).toMatchObject({
      response: { choices: [{ finish_reason: "length" }], usage: { prompt_tokens: 1_000, completion_tokens: 0 } },
    });
  });

  it("7.5 z.ai takes more than its window and says so in the finish reason, or not at all", () => {
    expect(face("z.ai").answer(overflowing)).toMatchObject({
      response: { choices: [{ finish_reason: "model_context_window_exceeded" }], usage: { prompt_tokens: 1_234 } },
    });
    expect(face("z.ai silent").answer(overflowing)).toMatchObject({
      response: { choices: [{ finish_reason: "stop" }], usage: { prompt_tokens: 1_234 } },
    });
  });
});

describe("habits of other servers", () => {
  it("llama.cpp gives every call the same id, and takes the results back", () => {
    const service = face("llama.cpp", {
      script: () => callTools(callTool("read", { line: 1 }), callTool("read", { line: 2 })),
    });
    const answered = service.answer({ model: "local", messages: [user("x")] });
    if (answered.kind === "refused") throw new Error(answered.message);
    const { message } = answered.response.choices[0]!;
    expect(message.tool_calls!.map(({ id }) => id)).toEqual(["call_0", "call_0"]);
    const results = [1, 2].map((line) => ({ role: "tool", tool_call_id: "call_0", content: `line ${line}` }));
    expect(service.judge({ model: "local", messages: [user("x"), message, ...results] }).kind).toBe("accepted");
  });

  it("serve any model they are asked for, and ignore fields they do not know", () => {
    const verdict = face("vLLM").judge({
      model: "qwen-anything",
      messages: [{ ...user("x"), timestamp: 1 }],
      top_k: 4,
      max_tokens: 10,
    });
    expect(verdict).toMatchObject({ kind: "accepted", model: "qwen-anything" });
  });

  it("look no closer at calls than they must", () => {
    const odd = { id: "c".repeat(60), type: "function", function: { name: "read file", arguments: '{"path": "READ' } };
    const messages = [
      { role: "assistant", tool_calls: [odd] },
      { role: "assistant", content: null },
      { role: "user", content: [{ type: "text", text: "x", cache_control: {} }] },
    ];
    expect(face("vLLM").judge({ model: "local", messages }).kind).toBe("accepted");
    const orphan = { role: "tool", tool_call_id: "never_called", content: "ok" };
    expect(face("Ollama").judge({ model: "local", messages: [orphan] }).kind).toBe("accepted");
  });

  it("DeepSeek shows its thoughts and splits its usage in its own way", () => {
    const service = face("DeepSeek", { script: () => think("Hm.", answer("Yes.")), models: {} });
    const request = { model: "deepseek-chat", messages: [user(tokens(500))] };
    service.answer(request);
    expect(service.answer(request)).toMatchObject({
      response: {
        choices: [{ message: { reasoning_content: "Hm." } }],
        usage: { prompt_tokens: 500, prompt_cache_hit_tokens: 448, prompt_cache_miss_tokens: 52 },
      },
    });
  });

  it.each<[CompatibleServer, RegExp]>([
    ["DeepSeek", /\(insufficient tool messages following tool_calls message\)$/],
    ["DashScope", /did not have response messages: message\[1\]\.role$/],
  ])("%s misses results in its own words", (server, message) => {
    const calling = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
    };
    expect(face(server).judge({ model: "local", messages: [calling, user("x")] })).toMatchObject({
      kind: "refused",
      message: expect.stringMatching(message),
    });
  });
});

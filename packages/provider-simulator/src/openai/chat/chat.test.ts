import { describe, expect, it } from "vitest";
import { manualClock } from "../../clock.ts";
import { misbehave } from "../../misbehave.ts";
import { answer, callTool, callTools, inOrder, think } from "../../script.ts";
import { bytesTokenizer } from "../../tokenizer.ts";
import { openAiModels } from "../models.ts";
import { invalid, refusalOf } from "../testing/refusals.ts";
import { createOpenAiChat, type OpenAiChatOptions } from "./chat.ts";

const MODEL = "gpt-6.1-sol";
const user = (content: unknown) => ({ role: "user", content });
const toolCall = (id: string, more: object = {}) => ({
  id,
  type: "function",
  function: { name: "read", arguments: "{}" },
  ...more,
});
const calls = (...ids: string[]) => ({ role: "assistant", content: null, tool_calls: ids.map((id) => toolCall(id)) });
const result = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "ok" });
const tiny = {
  ...openAiModels["gpt-4.1"]!,
  id: "tiny",
  windowTokens: 2_000,
  maxInputTokens: 2_000,
  maxOutputTokens: 1_000,
};

function face(options: OpenAiChatOptions = {}) {
  return createOpenAiChat({
    clock: manualClock(),
    tokenizer: bytesTokenizer({ bytesPerToken: 4 }),
    models: { tiny },
    ...options,
  });
}

const refused = (request: object) => refusalOf(face().judge({ model: MODEL, messages: [user("Hello")], ...request }));

function complete(service: ReturnType<typeof face>, request: object = {}) {
  const answered = service.answer({ model: MODEL, messages: [user("Hello")], ...request });
  if (answered.kind === "refused") throw new Error(answered.message);
  return answered.response;
}

describe("7.1 chat requests", () => {
  it("7.1 accepts every role", () => {
    const messages = [
      { role: "system", content: "s" },
      { role: "developer", content: [{ type: "text", text: "d" }] },
      user([
        { type: "text", text: "u" },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      ]),
      calls("call_1"),
      result("call_1"),
      { role: "assistant", content: "done" },
    ];
    expect(face().judge({ model: MODEL, messages }).kind).toBe("accepted");
  });

  it.each<[string, object, ReturnType<typeof invalid>]>([
    ["a missing model", { model: undefined }, invalid("you must provide a model parameter", null)],
    [
      "missing messages",
      { messages: undefined },
      invalid("Missing required parameter: 'messages'.", "messages", "missing_required_parameter"),
    ],
    [
      "no message at all",
      { messages: [] },
      invalid(
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "messages",
        "empty_array",
      ),
    ],
    [
      "a field of another endpoint",
      { reasoning: {} },
      invalid("Unknown parameter: 'reasoning'.", "reasoning", "unknown_parameter"),
    ],
    [
      "an unknown role",
      { messages: [{ role: "bot", content: "x" }] },
      invalid(
        "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        "messages[0].role",
        "invalid_value",
      ),
    ],
    [
      "a user who says nothing",
      { messages: [user(null)] },
      invalid(
        "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got null instead.",
        "messages[0].content",
        "invalid_type",
      ),
    ],
    [
      "an assistant who says nothing",
      { messages: [user("x"), { role: "assistant", content: null }] },
      invalid("Invalid value for 'content': expected a string, got null.", "messages.[1].content"),
    ],
    [
      "an empty list of calls",
      { messages: [{ role: "assistant", content: "x", tool_calls: [] }] },
      invalid(
        "Invalid 'messages[0].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        "messages[0].tool_calls",
        "empty_array",
      ),
    ],
    [
      "an id that is too long",
      { messages: [calls("c".repeat(41))] },
      invalid(
        "Invalid 'messages[0].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
        "messages[0].tool_calls[0].id",
        "string_above_max_length",
      ),
    ],
    [
      "a part of the other endpoint",
      { messages: [user([{ type: "input_text", text: "x" }])] },
      invalid(
        "Invalid value: 'input_text'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.",
        "messages[0].content[0]",
        "invalid_value",
      ),
    ],
    [
      "the old name of the output limit",
      { max_tokens: 100 },
      invalid(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
      ),
    ],
    [
      "too large an output limit",
      { max_completion_tokens: 200_000 },
      invalid(
        "max_completion_tokens is too large: 200000. This model supports at most 128000 completion tokens, whereas you provided 200000.",
        "max_completion_tokens",
        "invalid_value",
      ),
    ],
    [
      "sampling on a newer model",
      { temperature: 0.5 },
      invalid(
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
        "temperature",
        "unsupported_value",
      ),
    ],
    [
      "a tool of the other endpoint",
      { tools: [{ type: "function", name: "a" }] },
      invalid("Missing required parameter: 'tools[0].function'.", "tools[0].function", "missing_required_parameter"),
    ],
    [
      "a tool choice without tools",
      { tool_choice: "auto" },
      invalid(
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        "tool_choice",
      ),
    ],
    [
      "stream options without a stream",
      { stream_options: { include_usage: true } },
      invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options"),
    ],
    [
      "an unknown format",
      { response_format: { type: "object" } },
      invalid(
        "Invalid value: 'object'. Supported values are: 'json_object', 'json_schema', and 'text'.",
        "response_format.type",
        "invalid_value",
      ),
    ],
  ])("7.1 refuses %s", (_, request, expected) => {
    expect(refused(request)).toEqual(expected);
  });

  it("7.1 refuses a model it does not know with 404", () => {
    expect(refused({ model: "gpt-9" })).toMatchObject({ status: 404, error: { code: "model_not_found" } });
  });

  it("7.1 refuses half of a surrogate pair as broken JSON", () => {
    expect(refused({ messages: [user("😀".slice(1))] }).error).toMatchObject({
      message: expect.stringMatching(/^We could not parse the JSON body/),
    });
  });
});

describe("7.1 tool messages", () => {
  const unanswered = (ids: string, index: number) =>
    invalid(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`,
      `messages.[${index}].role`,
    );

  it("7.1 must answer every call before anything else is said", () => {
    expect(refused({ messages: [user("x"), calls("call_a"), user("y")] })).toEqual(unanswered("call_a", 2));
    expect(refused({ messages: [user("x"), calls("call_a", "call_b"), result("call_b"), user("y")] })).toEqual(
      unanswered("call_a", 3),
    );
    expect(refused({ messages: [user("x"), calls("call_a", "call_b")] })).toEqual(unanswered("call_a, call_b", 2));
  });

  it("7.1 must follow a message that calls", () => {
    expect(refused({ messages: [user("x"), result("call_a")] })).toEqual(
      invalid(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        "messages.[1].role",
      ),
    );
  });

  it("7.1 must answer a call that was made", () => {
    expect(refused({ messages: [calls("call_a"), result("call_a"), result("call_z")] })).toEqual(
      invalid(
        "Invalid parameter: 'tool_call_id' of 'call_z' not found in 'tool_calls' of previous message.",
        "messages.[2].tool_call_id",
      ),
    );
  });

  it("7.1 may answer in any order", () => {
    expect(face().judge({ model: MODEL, messages: [calls("a", "b"), result("b"), result("a")] }).kind).toBe("accepted");
  });
});

describe("7.1 completions", () => {
  it("7.1 have one message, with calls and a reason to stop", () => {
    const service = face({
      script: inOrder([callTools(callTool("read", { path: "a" }), callTool("read", { path: "b" }))]),
    });
    const { choices } = complete(service);
    const [first, second] = choices[0]!.message.tool_calls!;
    expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
    expect(first!.function).toEqual({ name: "read", arguments: '{"path":"a"}' });
    expect(first!.id).not.toBe(second!.id);
  });

  it("7.1 stop at the output limit", () => {
    const completion = complete(face({ script: () => answer("word ".repeat(100)) }), { max_completion_tokens: 10 });
    expect(completion).toMatchObject({ choices: [{ finish_reason: "length" }], usage: { completion_tokens: 10 } });
  });

  it("7.1 count thoughts that nobody sees", () => {
    const completion = complete(face({ script: () => think("A long thought.", answer("Yes.")) }));
    expect(completion.choices[0]!.message.content).toBe("Yes.");
    expect(completion.usage).toMatchObject({
      completion_tokens_details: { reasoning_tokens: 4 },
      completion_tokens: 5,
    });
  });

  it("7.1 refuse in a field of their own", () => {
    expect(complete(face({ script: misbehave.refuse })).choices[0]).toMatchObject({
      message: { content: null, refusal: "This cannot be helped with." },
      finish_reason: "stop",
    });
  });

  it("7.1 report what came from the cache as part of the prompt", () => {
    const service = face();
    const messages = [user("word ".repeat(2_000))];
    expect(complete(service, { messages }).usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 2_504 },
    });
    expect(complete(service, { messages }).usage).toMatchObject({
      prompt_tokens: 2_504,
      prompt_tokens_details: { cached_tokens: 2_504, cache_write_tokens: 0 },
    });
    expect(complete(service, { messages, model: "gpt-4.1" }).usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    });
    expect(complete(service, { messages, model: "gpt-4.1" }).usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 2_432 },
    });
  });
});

describe("7.4 prompts that are too large", () => {
  it("7.4 context_length_exceeded names both numbers", () => {
    expect(refused({ model: "tiny", messages: [user("abcd".repeat(2_126))] })).toEqual(
      invalid(
        "This model's maximum context length is 2000 tokens. However, your messages resulted in 2130 tokens. Please reduce the length of the messages.",
        "messages",
        "context_length_exceeded",
      ),
    );
  });

  it("7.4 context_length_exceeded counts the output that was asked for", () => {
    expect(refused({ model: "tiny", messages: [user("abcd".repeat(1_496))], max_tokens: 600 }).error).toMatchObject({
      message:
        "This model's maximum context length is 2000 tokens. However, you requested 2100 tokens (1500 in the messages, 600 in the completion). Please reduce the length of the messages or completion.",
      code: "context_length_exceeded",
    });
  });
});

describe("7.1 a call that the model garbled", () => {
  it("7.1 can be sent back with a result that says so", () => {
    const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
    const service = face({ script: inOrder([(ask) => misbehave.garbleToolInput(ask)]) });
    const { message } = complete(service, { tools }).choices[0]!;
    const [garbled] = message.tool_calls!;
    expect(garbled!.function.arguments).toBe('{"path": "READ');
    const { annotations: _, ...said } = message;
    const messages = [user("Hello"), said, { role: "tool", tool_call_id: garbled!.id, content: "That is not JSON." }];
    expect(complete(service, { tools, messages }).choices[0]!.message.content).toBe("Done.");
  });
});

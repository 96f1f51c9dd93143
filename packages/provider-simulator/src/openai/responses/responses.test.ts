import { describe, expect, it } from "vitest";
import { manualClock } from "../../clock.ts";
import { misbehave } from "../../misbehave.ts";
import { answer, callTool, callTools, inOrder, type Script, summarize, think } from "../../script.ts";
import { bytesTokenizer } from "../../tokenizer.ts";
import { inputTokensOf } from "../../usage.ts";
import { openAiModels } from "../models.ts";
import { invalid, refusalOf } from "../testing/refusals.ts";
import type { ResponseObject } from "./response-object.ts";
import { createOpenAiResponses, type OpenAiResponsesOptions } from "./responses.ts";
import { sealContent } from "./sealed.ts";

const MODEL = "gpt-6.1-sol";
const user = (text: string) => ({ role: "user", content: text });
const call = (id: string, more: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: "{}",
  ...more,
});
const output = (id: string, text = "ok") => ({ type: "function_call_output", call_id: id, output: text });
const tiny = {
  ...openAiModels[MODEL]!,
  id: "tiny",
  windowTokens: 3_000,
  maxInputTokens: 2_000,
  maxOutputTokens: 1_000,
};

function face(options: OpenAiResponsesOptions = {}) {
  const clock = manualClock();
  return createOpenAiResponses({
    clock,
    tokenizer: bytesTokenizer({ bytesPerToken: 4 }),
    models: { tiny },
    ...options,
  });
}

const refused = (request: object, options: OpenAiResponsesOptions = {}) =>
  refusalOf(face(options).judge({ model: MODEL, ...request }));

function respond(service: ReturnType<typeof face>, request: object): ResponseObject {
  const answered = service.answer({ model: MODEL, ...request });
  if (answered.kind === "refused") throw new Error(answered.message);
  return answered.response;
}

describe("7.1 request shapes", () => {
  it("7.1 accepts text, items and instructions", () => {
    const service = face();
    expect(service.judge({ model: MODEL, input: "Hello" }).kind).toBe("accepted");
    const items = [
      user("Hi"),
      call("call_1"),
      output("call_1"),
      { role: "assistant", content: [{ type: "output_text", text: "Done" }] },
    ];
    expect(service.judge({ model: MODEL, input: items, instructions: "Be brief." }).kind).toBe("accepted");
  });

  it.each<[string, object, ReturnType<typeof invalid>]>([
    [
      "a missing model",
      { model: undefined },
      invalid("Missing required parameter: 'model'.", "model", "missing_required_parameter"),
    ],
    [
      "missing input",
      { input: undefined },
      invalid("Missing required parameter: 'input'.", "input", "missing_required_parameter"),
    ],
    [
      "input of a wrong type",
      { input: 7 },
      invalid(
        "Invalid type for 'input': expected one of a string or array of objects, but got an integer instead.",
        "input",
        "invalid_type",
      ),
    ],
    ["an unknown field", { thinking: {} }, invalid("Unknown parameter: 'thinking'.", "thinking", "unknown_parameter")],
    [
      "an unknown field of an item",
      { input: [call("c", { parsed_arguments: {} })] },
      invalid("Unknown parameter: 'input[0].parsed_arguments'.", "input[0].parsed_arguments", "unknown_parameter"),
    ],
    [
      "an unknown role",
      { input: [{ role: "tool", content: "x" }] },
      invalid(
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        "input[0].role",
        "invalid_value",
      ),
    ],
    [
      "a call without its id",
      { input: [user("x"), user("y"), { type: "function_call", name: "a", arguments: "{}" }] },
      invalid("Missing required parameter: 'input[2].call_id'.", "input[2].call_id", "missing_required_parameter"),
    ],
    [
      "arguments that are no string",
      { input: [call("c", { arguments: {} })] },
      invalid(
        "Invalid type for 'input[0].arguments': expected a string, but got an object instead.",
        "input[0].arguments",
        "invalid_type",
      ),
    ],
    [
      "input text said by the assistant",
      { input: [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }] },
      invalid(
        "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        "input[0].content[0]",
        "invalid_value",
      ),
    ],
    [
      "a call id in the place of an item id",
      { input: [call("c", { id: "call_1" })] },
      invalid("Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.", "input[0].id", "invalid_value"),
    ],
    [
      "reasoning without a summary",
      { input: [{ type: "reasoning", id: "rs_1" }] },
      invalid("Missing required parameter: 'input[0].summary'.", "input[0].summary", "missing_required_parameter"),
    ],
    [
      "fewer than 16 output tokens",
      { max_output_tokens: 5 },
      invalid(
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.",
        "max_output_tokens",
        "integer_below_min_value",
      ),
    ],
    [
      "a chat tool",
      { tools: [{ type: "function", function: { name: "a" } }] },
      invalid("Missing required parameter: 'tools[0].name'.", "tools[0].name", "missing_required_parameter"),
    ],
    [
      "a schema that is no object",
      { tools: [{ type: "function", name: "a", parameters: {} }] },
      invalid(
        "Invalid schema for function 'a': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
        "tools[0].parameters",
        "invalid_function_parameters",
      ),
    ],
    [
      "sampling on a newer model",
      { temperature: 0.2 },
      invalid(
        "Unsupported parameter: 'temperature' is not supported with this model.",
        "temperature",
        "unsupported_parameter",
      ),
    ],
    [
      "stream options without a stream",
      { stream_options: {} },
      invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options"),
    ],
  ])("7.1 refuses %s", (_, request, expected) => {
    expect(refused({ input: "Hello", ...request })).toEqual(expected);
  });

  it("7.1 refuses an unknown type of item and names those it knows", () => {
    const { error } = refused({ input: [{ type: "tool_result" }] });
    expect(error).toMatchObject({ param: "input[0].type", code: "invalid_value" });
    expect((error as { message: string }).message).toMatch(
      /^Invalid value: 'tool_result'. Supported values are: .*'function_call'/,
    );
  });

  it("7.1 refuses a model it does not know with 404", () => {
    expect(refused({ model: "gpt-9", input: "x" })).toEqual({
      status: 404,
      error: {
        message: "The model `gpt-9` does not exist or you do not have access to it.",
        type: "invalid_request_error",
        param: null,
        code: "model_not_found",
      },
    });
  });

  it("7.1 knows dated snapshots of its models", () => {
    expect(face().judge({ model: "gpt-4.1-2025-04-14", input: "x" }).kind).toBe("accepted");
  });

  it("7.1 refuses half of a surrogate pair as broken JSON, wherever it stands", () => {
    const half = "😀".slice(0, 1);
    for (const request of [{ input: half }, { input: [user(half)] }, { input: "x", instructions: half }]) {
      expect(refused(request).error).toMatchObject({
        message: expect.stringMatching(/^We could not parse the JSON body of your request\. \(HINT:/),
        code: null,
        param: null,
      });
    }
  });
});

describe("7.1 calls and their outputs", () => {
  it("7.1 refuses a call without output", () => {
    expect(refused({ input: [user("x"), call("call_x")] })).toEqual(
      invalid("No tool output found for function call call_x.", "input"),
    );
  });

  it("7.1 refuses an output without a call, or before it", () => {
    const expected = invalid("No tool call found for function call output with call_id call_x.", "input");
    expect(refused({ input: [output("call_x")] })).toEqual(expected);
    expect(refused({ input: [output("call_x"), call("call_x")] })).toEqual(expected);
  });

  it("7.1 refuses a second output for one call", () => {
    expect(refused({ input: [call("c"), output("c"), output("c")] }).error).toMatchObject({ param: "input" });
  });

  it("7.1 takes parallel calls in any order of their outputs", () => {
    expect(face().judge({ model: MODEL, input: [call("a"), call("b"), output("b"), output("a")] }).kind).toBe(
      "accepted",
    );
  });

  it("7.1 refuses an item that stands in the input twice", () => {
    const { error } = refused({
      input: [call("c", { id: "fc_1" }), output("c"), call("d", { id: "fc_1" }), output("d")],
    });
    expect(error).toMatchObject({
      message: "Duplicate item found with id fc_1. Remove duplicate items from your input and try again.",
    });
  });
});

describe("7.1 reasoning items", () => {
  const thinking: Script = inOrder([think("First, I look.", callTools(callTool("read", {})))]);
  const ask = (service: ReturnType<typeof face>, store = false) => {
    const first = respond(service, { input: [user("Look")], store });
    const [reasoning, made] = first.output as unknown as [Record<string, unknown>, Record<string, unknown>];
    return { reasoning, made, result: output(made["call_id"] as string) };
  };

  it("7.1 are taken back with the call they led to", () => {
    const service = face({ script: thinking });
    const { reasoning, made, result } = ask(service);
    expect(service.judge({ model: MODEL, input: [user("Look"), reasoning, made, result] }).kind).toBe("accepted");
  });

  it("7.1 may lose their ids, as stateless clients drop them", () => {
    const service = face({ script: thinking });
    const { reasoning, made, result } = ask(service);
    const { id: _, ...bare } = reasoning;
    const { id: __, ...bareCall } = made;
    expect(service.judge({ model: MODEL, input: [user("Look"), bare, bareCall, result] }).kind).toBe("accepted");
  });

  it("7.1 must be followed by the item they were produced with", () => {
    const service = face({ script: thinking });
    const { reasoning, made, result } = ask(service);
    const message = `Item '${reasoning["id"]}' of type 'reasoning' was provided without its required following item.`;
    for (const input of [
      [user("Look"), reasoning],
      [user("Look"), reasoning, user("And?")],
      [user("Look"), reasoning, { ...made, id: "fc_other" }, result],
    ]) {
      expect(service.judge({ model: MODEL, input })).toMatchObject({ kind: "refused", status: 400, message });
    }
  });

  it("7.1 must not be left out before that item", () => {
    const service = face({ script: thinking });
    const { reasoning, made, result } = ask(service);
    expect(service.judge({ model: MODEL, input: [user("Look"), made, result] })).toMatchObject({
      kind: "refused",
      message: `Item '${made["id"]}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning["id"]}'.`,
    });
  });

  it("7.1 must carry content that we sealed, for this very item", () => {
    const service = face({ script: thinking });
    const { reasoning, made, result } = ask(service);
    const forged = sealContent({ kind: "reasoning", id: "rs_other", text: "Other thoughts." });
    for (const encrypted_content of ["gAAAAABforged", forged]) {
      const verdict = service.judge({ model: MODEL, input: [{ ...reasoning, encrypted_content }, made, result] });
      expect(verdict).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_encrypted_content", param: null } },
      });
    }
  });

  it("7.1 without content are looked up, and not found unless stored", () => {
    const service = face({ script: thinking });
    const stored = ask(service, true);
    const { encrypted_content: _, ...reference } = stored.reasoning;
    expect(service.judge({ model: MODEL, input: [user("Look"), reference, stored.made, stored.result] }).kind).toBe(
      "accepted",
    );

    const stateless = face({ script: thinking });
    const unstored = ask(stateless);
    const { encrypted_content: __, ...lost } = unstored.reasoning;
    expect(
      stateless.judge({ model: MODEL, input: [user("Look"), lost, unstored.made, unstored.result] }),
    ).toMatchObject({
      status: 404,
      message: `Item with id '${lost["id"]}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    });
  });

  it("7.1 that led to nothing cannot be sent back", () => {
    const service = face({ script: misbehave.onlyThink });
    const { output: said } = respond(service, { input: [user("Look")] });
    expect(service.judge({ model: MODEL, input: [user("Look"), ...said, user("Well?")] }).kind).toBe("refused");
  });
});

describe("7.1 continuing a stored response", () => {
  it("7.1 counts what came before", () => {
    const service = face();
    const first = respond(service, { input: "A question that takes some tokens to ask" });
    const verdict = service.judge({ model: MODEL, input: "More", previous_response_id: first.id });
    expect(verdict.kind === "accepted" && verdict.inputTokens).toBeGreaterThan(first.usage!.input_tokens);
  });

  it("7.1 refuses what was never stored", () => {
    const service = face();
    const first = respond(service, { input: "x", store: false });
    expect(service.judge({ model: MODEL, input: "y", previous_response_id: first.id })).toMatchObject({
      status: 400,
      body: {
        error: {
          message: `Previous response with id '${first.id}' not found.`,
          param: "previous_response_id",
          code: "previous_response_not_found",
        },
      },
    });
  });

  it("7.1 still wants the output of a call made there", () => {
    const service = face({ script: inOrder([callTools(callTool("read", {}))]) });
    const first = respond(service, { input: "x" });
    const made = first.output[0] as { call_id: string };
    expect(service.judge({ model: MODEL, input: "y", previous_response_id: first.id }).kind).toBe("refused");
    expect(service.judge({ model: MODEL, input: [output(made.call_id)], previous_response_id: first.id }).kind).toBe(
      "accepted",
    );
  });
});

describe("7.1 a call that the model garbled", () => {
  const tools = [{ type: "function", name: "read", parameters: { type: "object" }, strict: false }];
  const script = inOrder([(ask) => misbehave.garbleToolInput(ask), ({ toolResults }) => answer(toolResults[0]!.text)]);
  const broken = "The arguments are not JSON.";

  it("7.1 can be sent back with an output that says so", () => {
    const service = face({ script });
    const first = respond(service, { input: "Go", tools });
    expect(first.output).toMatchObject([{ type: "function_call", arguments: '{"path": "READ' }]);
    const { call_id: callId } = first.output[0] as { call_id: string };
    const input = [user("Go"), ...first.output, output(callId, broken)];
    expect(respond(service, { input, tools }).output).toMatchObject([{ content: [{ text: broken }] }]);
  });

  it("7.1 is remembered with its id", () => {
    const service = face({ script });
    const { id, output: said } = respond(service, { input: "Go", tools });
    const { call_id: callId } = said[0] as { call_id: string };
    const next = { previous_response_id: id, tools };
    expect(service.judge({ model: MODEL, ...next, input: "Go on" })).toMatchObject({
      message: `No tool output found for function call ${callId}.`,
    });
    expect(respond(service, { ...next, input: [output(callId, broken)] }).output).toMatchObject([
      { content: [{ text: broken }] },
    ]);
  });
});

describe("7.1 the response", () => {
  it("7.1 reports usage that adds up, cached tokens within the input", () => {
    const service = face({ script: () => think("Hm.", answer("Yes.")) });
    const input = "word ".repeat(2_000);
    respond(service, { input });
    const { usage } = respond(service, { input });
    expect(usage!.total_tokens).toBe(usage!.input_tokens + usage!.output_tokens);
    expect(usage!.input_tokens_details).toMatchObject({ cached_tokens: usage!.input_tokens, cache_write_tokens: 0 });
    expect(usage!.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });

  it("7.1 is incomplete where the output limit cut it", () => {
    const response = respond(face({ script: () => answer("word ".repeat(500)) }), {
      input: "x",
      max_output_tokens: 16,
    });
    expect(response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      usage: { output_tokens: 16 },
    });
    expect(response.output[0]).toMatchObject({ status: "incomplete" });
  });

  it("7.1 carries a refusal as a part of its own", () => {
    const response = respond(face({ script: misbehave.refuse }), { input: "x" });
    expect(response.output).toMatchObject([
      { type: "message", content: [{ type: "refusal", refusal: "This cannot be helped with." }] },
    ]);
  });

  it("7.1 costs more above 272K input tokens: twice the input, one and a half times the output", () => {
    const service = face({ script: () => answer("four") });
    const price = (tokens: number) => {
      const answered = service.answer({
        model: "gpt-6-astra",
        input: "abcd".repeat(tokens),
        prompt_cache_options: { mode: "explicit" },
      });
      return answered.kind === "answered" ? [answered.priceUsd, inputTokensOf(answered.usage)] : [];
    };
    const [small, smallTokens] = price(271_996);
    const [large, largeTokens] = price(271_997);
    expect([smallTokens, largeTokens]).toEqual([272_000, 272_001]);
    expect(small).toBeCloseTo((272_000 * 10 + 50) / 1e6, 9);
    expect(large).toBeCloseTo((272_001 * 20 + 75) / 1e6, 9);
  });
});

describe("7.2 caching options", () => {
  const long = "word ".repeat(2_000);
  const part = (text: string, prompt_cache_breakpoint?: object) => ({
    role: "user",
    content: [{ type: "input_text", text, ...(prompt_cache_breakpoint && { prompt_cache_breakpoint }) }],
  });

  it("7.2 belong to GPT-5.6 and later", () => {
    expect(refused({ model: "gpt-5.2", input: "x", prompt_cache_options: { mode: "explicit" } }).error).toMatchObject({
      param: "prompt_cache_options",
      code: "unsupported_parameter",
    });
    expect(refused({ model: "gpt-5.2", input: [part("x", { mode: "explicit" })] }).error).toMatchObject({
      code: "unsupported_parameter",
    });
  });

  it("7.2 are checked down to the breakpoint", () => {
    expect(refused({ input: "x", prompt_cache_options: { ttl: "1h" } }).error).toMatchObject({
      message: "Invalid value: '1h'. Supported values are: '30m' and '12h'.",
      param: "prompt_cache_options.ttl",
    });
    expect(refused({ input: [part("x", { mode: "implicit" })] }).error).toMatchObject({
      param: "input[0].content[0].prompt_cache_breakpoint.mode",
    });
  });

  it("7.2 an explicit breakpoint is read to the token by another conversation", () => {
    const service = face();
    const marked = part(long, { mode: "explicit", ttl: "12h" });
    const first = service.judge({ model: MODEL, input: [marked, user("One")] });
    const second = service.judge({ model: MODEL, input: [marked, user("Two")] });
    expect(first.kind === "accepted" && first.usage).toMatchObject({ longCacheWriteTokens: 2_504 });
    expect(second.kind === "accepted" && second.usage).toMatchObject({ cacheReadTokens: 2_504 });
  });

  it("7.2 prewarming writes the cache and says nothing", () => {
    let asked = 0;
    const counting: Script = () => {
      asked++;
      return answer("x");
    };
    const service = face({ script: counting });
    const warmed = respond(service, { input: long, prompt_cache_options: { prewarm: true } });
    expect(warmed).toMatchObject({ status: "completed", output: [], usage: { output_tokens: 0 } });
    expect(asked).toBe(0);
    const next = service.judge({ model: MODEL, input: long });
    expect(next.kind === "accepted" && next.usage.cacheReadTokens).toBeGreaterThan(0);
  });

  it.each([
    ["prompt_cache_key_changed", { prompt_cache_key: "other" }],
    ["tools_changed", { tools: [{ type: "function", name: "read" }] }],
    ["reasoning_effort_changed", { reasoning: { effort: "high" } }],
    ["verbosity_changed", { text: { verbosity: "low" } }],
    ["text_format_changed", { text: { format: { type: "json_object" } } }],
    ["service_tier_changed", { service_tier: "priority" }],
    ["model_changed", { model: "gpt-6-sol" }],
    ["input_changed", { input: `Other ${long}` }],
  ])("7.2 diagnostics name %s", (reason, change) => {
    const service = face();
    const base = { input: long };
    const first = respond(service, base);
    const options = { prompt_cache_options: { comparison_response_id: first.id } };
    expect(respond(service, { ...base, ...options }).prompt_cache_diagnostics).toEqual({ type: "cache_hit" });
    const changed = respond(service, { ...base, ...change, ...options });
    expect(changed.prompt_cache_diagnostics).toMatchObject({ type: "cache_miss", reason });
    expect(changed.usage!.input_tokens_details.cached_tokens).toBe(0);
  });

  it("7.2 diagnostics do not find a response that never was", () => {
    const response = respond(face(), { input: "x", prompt_cache_options: { comparison_response_id: "resp_none" } });
    expect(response.prompt_cache_diagnostics).toEqual({ type: "comparison_response_not_found" });
  });

  it("7.2 another account never reads what one has written", () => {
    const service = face();
    service.judge({ model: MODEL, input: long }, { account: "one" });
    const verdict = service.judge({ model: MODEL, input: long }, { account: "two" });
    expect(verdict.kind === "accepted" && verdict.usage.cacheReadTokens).toBe(0);
  });
});

describe("7.3 compaction", () => {
  const script: Script = (ask) =>
    ask.purpose === "compaction" ? summarize("They spoke at length.") : answer("Go on.");
  const history = [
    user("First question"),
    { role: "assistant", content: "word ".repeat(400) },
    user("Second question"),
  ];

  it("7.3 in the request: the summary comes first, then the answer", () => {
    const service = face({ script });
    const response = respond(service, {
      input: history,
      context_management: [{ type: "compaction", compact_threshold: 300 }],
    });
    expect(response.output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    const below = respond(service, {
      input: history,
      context_management: [{ type: "compaction", compact_threshold: 30_000 }],
    });
    expect(below.output.map(({ type }) => type)).toEqual(["message"]);
  });

  it("7.3 what the model said before the compaction counts no more", () => {
    const service = face({ script });
    const compacted = respond(service, {
      input: history,
      context_management: [{ type: "compaction", compact_threshold: 300 }],
    });
    const after = service.judge({ model: MODEL, input: [...history, ...compacted.output, user("Third")] });
    const pruned = service.judge({ model: MODEL, input: [history[0], history[2], ...compacted.output, user("Third")] });
    expect(after.kind === "accepted" && after.inputTokens).toBeLessThan(compacted.usage!.input_tokens);
    expect(after).toMatchObject({ inputTokens: pruned.kind === "accepted" ? pruned.inputTokens : -1 });
    const chained = service.judge({ model: MODEL, input: "Third", previous_response_id: compacted.id });
    expect(chained).toMatchObject({ inputTokens: after.kind === "accepted" ? after.inputTokens : -1 });
  });

  it("7.3 by a trigger, which must come last", () => {
    const service = face({ script });
    const response = respond(service, { input: [...history, { type: "compaction_trigger" }] });
    expect(response.output.map(({ type }) => type)).toEqual(["compaction"]);
    expect(refused({ input: [{ type: "compaction_trigger" }, user("x")] }).error).toMatchObject({ param: "input[0]" });
  });

  it("7.3 by its own endpoint: all user messages and one compaction item", () => {
    const service = face({ script });
    const answered = service.compact({ model: MODEL, input: history });
    if (answered.kind === "refused") throw new Error(answered.message);
    const { response } = answered;
    expect(response).toMatchObject({
      object: "response.compaction",
      output: [{ role: "user" }, { role: "user" }, { type: "compaction" }],
    });
    expect(response.usage.total_tokens).toBe(response.usage.input_tokens + response.usage.output_tokens);
    expect(service.judge({ model: MODEL, input: [...response.output, user("Third")] }).kind).toBe("accepted");
  });

  it("7.3 items that we did not make are refused", () => {
    expect(refused({ input: [{ type: "compaction", encrypted_content: "gAAAAABsecret" }] }).error).toMatchObject({
      code: "invalid_encrypted_content",
    });
  });

  it("7.3 knows one kind of context management", () => {
    expect(refused({ input: "x", context_management: [{ type: "clear" }] }).error).toMatchObject({
      message: "Invalid value: 'clear'. Supported values are: 'compaction'.",
    });
  });
});

describe("7.4 prompts that are too large", () => {
  const long = "abcd".repeat(2_500);

  it("7.4 context_length_exceeded is refused with the service's words", () => {
    expect(refused({ model: "tiny", input: long })).toEqual(
      invalid(
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
        "input",
        "context_length_exceeded",
      ),
    );
  });

  it("7.4 truncation auto drops from the front, pairs together", () => {
    const input = [user("abcd".repeat(900)), call("a"), output("a", "abcd".repeat(900)), user("abcd".repeat(500))];
    const verdict = face().judge({ model: "tiny", input, truncation: "auto" });
    expect(verdict).toMatchObject({ kind: "accepted", inputTokens: 504 });
    expect(face().judge({ model: "tiny", input: long, truncation: "auto" }).kind).toBe("refused");
  });

  it("7.4 fits to the token", () => {
    const tokens = tiny.maxInputTokens - bytesTokenizer().blockTokens;
    expect(face().judge({ model: "tiny", input: "abcd".repeat(tokens) })).toMatchObject({
      inputTokens: tiny.maxInputTokens,
    });
    expect(face().judge({ model: "tiny", input: "abcd".repeat(tokens + 1) }).kind).toBe("refused");
  });

  it("7.4 counting tokens refuses nothing for its size", () => {
    expect(face().countInputTokens({ model: "tiny", input: long })).toEqual({
      object: "response.input_tokens",
      input_tokens: 2_504,
    });
  });
});

describe("speed", () => {
  it("judges frozen items that it has seen in a fraction of the time that new ones take", () => {
    const items = Array.from({ length: 2_500 }, (_, each) => [
      call(`call_${each}`, { arguments: `{"line":${each}}` }),
      output(`call_${each}`, "line ".repeat(40)),
    ]).flat();
    const frozen = items.map((item) => Object.freeze(item));
    for (const model of [MODEL, "gpt-5.2"]) {
      const service = face();
      const judgeMs = (input: readonly object[]): number => {
        const before = process.cpuUsage();
        expect(service.judge({ model, input }).kind).toBe("accepted");
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1_000;
      };
      service.judge({ model, input: frozen });
      let [newMs, frozenMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      // Some rounds of each are not disturbed by the garbage collector.
      for (let round = 0; round < 10; round++) {
        newMs = Math.min(newMs, judgeMs(structuredClone(items)));
        frozenMs = Math.min(frozenMs, judgeMs(frozen));
      }
      // About 0.1.
      expect(frozenMs / newMs, `${frozenMs} ms for those it has seen, ${newMs} ms for new ones`).toBeLessThan(0.5);
    }
  });
});

describe("7.1 tool search", () => {
  const search = {
    type: "tool_search",
    execution: "client",
    description: "Finds tools.",
    parameters: { type: "object" },
  };
  const asked = { type: "tool_search_call", call_id: "call_1", execution: "client", arguments: { names: ["later"] } };
  const later = { type: "function", name: "later", parameters: { type: "object" }, defer_loading: true };
  const found = (tools: readonly object[]) => ({
    type: "tool_search_output",
    call_id: "call_1",
    execution: "client",
    tools,
  });

  it("the model searches with an item of its own kind, and sees what was found", () => {
    const script = inOrder([
      callTools(callTool("tool_search", { names: ["later"] })),
      ({ tools }) => answer(tools.join(" ")),
    ]);
    const service = face({ script });
    const input = [user("Hi")];
    const { output: said } = respond(service, { input, tools: [search] });
    expect(said).toMatchObject([{ type: "tool_search_call", execution: "client", arguments: { names: ["later"] } }]);
    const call_id = (said[0] as { call_id: string }).call_id;
    const next = respond(service, { input: [...input, said[0], { ...found([later]), call_id }], tools: [search] });
    expect(JSON.stringify(next.output)).toContain("tool_search later");
  });

  it("each search has its output, which holds tools; earlier models refuse it", () => {
    const pairing = (message: string) => invalid(message, "input");
    expect(refused({ input: [user("Hi"), asked], tools: [search] })).toEqual(
      pairing("No tool output found for tool search call call_1."),
    );
    expect(refused({ input: [user("Hi"), found([])], tools: [search] })).toEqual(
      pairing("No tool call found for tool search output with call_id call_1."),
    );
    const broken = found([{ type: "function", parameters: {} }]);
    expect(refused({ input: [user("Hi"), asked, broken], tools: [search] })).toBeDefined();
    expect(refused({ model: "gpt-5.2", input: "Hi", tools: [search] })).toMatchObject({ error: { param: "tools" } });
    expect(refused({ input: "Hi", tools: [{ ...search, execution: "both" }] })).toBeDefined();
  });

  it("deferred functions are not in the prompt", () => {
    const tokens = (tools: readonly object[]) => {
      const verdict = face().judge({ model: MODEL, input: "Hi", tools });
      return verdict.kind === "accepted" ? inputTokensOf(verdict.usage) : verdict;
    };
    expect(tokens([search, later])).toBe(tokens([search]));
  });
});

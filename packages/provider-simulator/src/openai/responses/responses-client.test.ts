import type OpenAI from "openai";
import { APIConnectionError, BadRequestError, NotFoundError, RateLimitError } from "openai";

import { describe, expect, it } from "vitest";
import { manualClock } from "../../clock.ts";
import { cutStream, overloadedInStream, rateLimited, resetConnection, responseFailed } from "../../faults.ts";
import { misbehave } from "../../misbehave.ts";
import { answer, callTool, callTools, inOrder, type Script, summarize, think } from "../../script.ts";
import { openAiModels } from "../models.ts";
import { connectOpenAi, failure, withFault } from "../testing/connect-openai.ts";
import { createOpenAiResponses, type OpenAiResponsesOptions } from "./responses.ts";

const model = "gpt-6.1-sol";
const tiny = { ...openAiModels[model]!, id: "tiny", windowTokens: 300, maxInputTokens: 200, maxOutputTokens: 100 };
const tools: OpenAI.Responses.Tool[] = [
  {
    type: "function",
    name: "read",
    strict: false,
    parameters: { type: "object", properties: { path: { type: "string" } } },
  },
];

const connect = (options: OpenAiResponsesOptions = {}) =>
  connectOpenAi(createOpenAiResponses({ clock: manualClock(1_790_000_000_000), models: { tiny }, ...options }));

async function events(client: OpenAI, request: Partial<OpenAI.Responses.ResponseCreateParamsStreaming> = {}) {
  const received: OpenAI.Responses.ResponseStreamEvent[] = [];
  const stream = await client.responses.create({ model, input: "Hello", stream: true, ...request });
  for await (const event of stream) received.push(event);
  return received;
}

describe("7.1 Responses with the real client", () => {
  it("7.1 answers with text, usage and an id", async () => {
    const { client, server } = await connect();
    const response = await client.responses.create({ model, input: "Hello" });
    expect(response.output_text).toBe("You said: Hello");
    expect(response.usage!.total_tokens).toBe(response.usage!.input_tokens + response.usage!.output_tokens);
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model,
      created_at: 1_790_000_000,
      error: null,
    });
    expect(server.recorder.last!.outcome).toMatchObject({ kind: "answered", responseId: response.id });
  });

  it("7.1 makes a round trip with tools, items passed back as they came", async () => {
    const script = inOrder([
      think("I need the file.", callTools(callTool("read", { path: "a.ts" }))),
      (ask) => answer(`Read: ${ask.toolResults[0]?.text}`),
    ]);
    const { client } = await connect({ script });
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Read a.ts" }];
    const first = await client.responses.create({ model, input, tools, store: false });
    const made = first.output.find((item) => item.type === "function_call")!;
    expect(JSON.parse(made.arguments)).toEqual({ path: "a.ts" });
    input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
    input.push({ type: "function_call_output", call_id: made.call_id, output: "contents" });
    const second = await client.responses.create({ model, input, tools, store: false });
    expect(second.output_text).toBe("Read: contents");
  });

  it("7.1 streams every event in its order, numbered from zero", async () => {
    const script: Script = () => think("Thinking.", { words: [{ kind: "text", text: "Text." }, callTool("read", {})] });
    const { client } = await connect({ script });
    const received = await events(client, { tools, reasoning: { summary: "auto" } });
    expect(received.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(received.map((event) => event.sequence_number)).toEqual(received.map((_, index) => index));
  });

  it("7.1 announces reasoning with content that is not yet whole", async () => {
    const { client } = await connect({ script: () => think("Thinking.", answer("Text.")) });
    const items = (await events(client)).flatMap((event) =>
      event.type === "response.output_item.added" || event.type === "response.output_item.done"
        ? event.item.type === "reasoning"
          ? [event.item]
          : []
        : [],
    );
    expect(items).toHaveLength(2);
    expect(items[1]!.encrypted_content!.length).toBeGreaterThan(items[0]!.encrypted_content!.length);
  });

  it("7.1 puts the whole of a stream together with the client's own helper", async () => {
    const text = "A text that is long enough to come in several pieces. ".repeat(5);
    const { client } = await connect({ script: () => answer(text) });
    const stream = client.responses.stream({ model, input: "Hello" });
    const deltas: string[] = [];
    stream.on("response.output_text.delta", ({ delta }) => void deltas.push(delta));
    const response = await stream.finalResponse();
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.join("")).toBe(text);
    expect(response.output_text).toBe(text);
  });

  it("7.1 streams refusals and cut answers", async () => {
    const refusing = await connect({ script: misbehave.refuse });
    expect((await events(refusing.client)).map(({ type }) => type)).toContain("response.refusal.delta");
    const cut = await connect({ script: () => answer("word ".repeat(200)) });
    const last = (await events(cut.client, { max_output_tokens: 16 })).at(-1)!;
    expect(last).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "max_output_tokens" } },
    });
  });

  it("7.1 hides the length of deltas unless told not to", async () => {
    const { client } = await connect();
    const delta = async (request: Partial<OpenAI.Responses.ResponseCreateParamsStreaming>) =>
      (await events(client, request)).find(({ type }) => type === "response.output_text.delta");
    expect(await delta({})).toHaveProperty("obfuscation");
    expect(await delta({ stream_options: { include_obfuscation: false } })).not.toHaveProperty("obfuscation");
  });

  it("7.1 counts input tokens as it will bill them", async () => {
    const { client, server } = await connect();
    const request = { model, input: "How many tokens is this?", instructions: "Count.", tools };
    const { input_tokens, object } = await client.responses.inputTokens.count(request);
    expect(server.recorder.last!.outcome).toEqual({ kind: "free" });
    const response = await client.responses.create(request);
    expect(object).toBe("response.input_tokens");
    expect(input_tokens).toBe(response.usage!.input_tokens);
  });

  it("7.1 lists its models without a word about their windows", async () => {
    const { client } = await connect();
    const ids: string[] = [];
    for await (const each of client.models.list()) ids.push(each.id);
    expect(ids).toContain("gpt-6-astra");
    expect(await client.models.retrieve("gpt-6-luna")).toMatchObject({ id: "gpt-6-luna", object: "model" });
    expect(await failure(client.models.retrieve("gpt-9"))).toBeInstanceOf(NotFoundError);
  });
});

describe("7.2 caching with the real client", () => {
  it("7.2 a stream fills the cache once it has begun", async () => {
    const { client } = await connect();
    const input = "word ".repeat(2_000);
    await events(client, { input });
    const { usage } = await client.responses.create({ model, input });
    expect(usage!.input_tokens_details).toEqual({ cached_tokens: usage!.input_tokens, cache_write_tokens: 0 });
  });

  it("7.2 writes are told apart by their lifetime", async () => {
    const { client } = await connect();
    const { usage } = await client.responses.create({
      model,
      input: "word ".repeat(2_000),
      prompt_cache_options: { ttl: "12h" },
    });
    expect(usage!.input_tokens_details).toMatchObject({
      cache_write_tokens: usage!.input_tokens,
      cache_write_tokens_details: { ttl_30m_tokens: 0, ttl_12h_tokens: usage!.input_tokens },
    });
  });
});

describe("7.3 compaction with the real client", () => {
  const script: Script = (ask) => (ask.purpose === "compaction" ? summarize("Short.") : answer("Go on."));

  it("7.3 compacts on request, and takes the result back", async () => {
    const { client } = await connect({ script });
    const input: OpenAI.Responses.ResponseInputItem[] = [
      { role: "user", content: "One" },
      { role: "assistant", content: "word ".repeat(300) },
      { role: "user", content: "Two" },
    ];
    const compacted = await client.responses.compact({ model, input });
    expect(compacted.object).toBe("response.compaction");
    expect(compacted.output.map(({ type }) => type)).toEqual(["message", "message", "compaction"]);
    const next = [
      ...(compacted.output as OpenAI.Responses.ResponseInputItem[]),
      { role: "user" as const, content: "Three" },
    ];
    const response = await client.responses.create({ model, input: next });
    expect(response.usage!.input_tokens).toBeLessThan(compacted.usage.input_tokens);
  });

  it("7.3 streams the compaction before the answer", async () => {
    const { client } = await connect({ script });
    const received = await events(client, {
      input: "word ".repeat(300),
      context_management: [{ type: "compaction", compact_threshold: 100 }],
    });
    expect(received.map(({ type }) => type).slice(2, 6)).toEqual([
      "response.output_item.added",
      "response.compaction.compacting",
      "response.output_item.done",
      "response.output_item.added",
    ]);
  });
});

describe("7.4 errors with the real client", () => {
  it("7.4 a refusal is a BadRequestError with its code and its param", async () => {
    const { client } = await connect();
    const error = await failure(client.responses.create({ model: "tiny", input: "word ".repeat(500) }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      code: "context_length_exceeded",
      param: "input",
      type: "invalid_request_error",
      message: "400 Your input exceeds the context window of this model. Please adjust your input and try again.",
    });
    expect(error.requestID).toMatch(/^req_/);
  });

  it("7.4 context_length_exceeded can arrive inside the stream", async () => {
    const { client } = await connect({ overflow: "in-stream" });
    const received: string[] = [];
    const reading = (async () => {
      const stream = await client.responses.create({ model: "tiny", input: "word ".repeat(500), stream: true });
      for await (const { type } of stream) received.push(type);
    })();
    const error = await failure(reading);
    expect(received).toEqual(["response.created", "response.in_progress"]);
    expect(error).toMatchObject({ status: undefined, code: "context_length_exceeded", param: "input" });
  });

  it("7.4 an error event in mid-stream has no status but keeps its code", async () => {
    const { client } = await connect({ script: withFault(overloadedInStream(4)) });
    const error = await failure(events(client));
    expect(error).toMatchObject({
      status: undefined,
      code: "server_is_overloaded",
      message: expect.stringContaining("overloaded"),
    });
  });

  it("7.4 response.failed is an ordinary event", async () => {
    const { client } = await connect({ script: withFault(responseFailed("server_error", "The model gave up.")) });
    const last = (await events(client)).at(-1)!;
    expect(last).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error", message: "The model gave up." } },
    });
    const whole = await client.responses.create({ model, input: "Hello" });
    expect(whole).toMatchObject({ status: "failed", error: { code: "server_error" } });
  });

  it("7.4 a stream can end without its last event, and the client does not complain", async () => {
    const { client } = await connect({ script: withFault(cutStream(4)) });
    const received = await events(client);
    expect(received).toHaveLength(4);
    expect(received.at(-1)!.type).not.toBe("response.completed");
  });

  it("7.4 a connection can be reset", async () => {
    const { client } = await connect({ script: withFault(resetConnection()) });
    expect(await failure(client.responses.create({ model, input: "x" }))).toBeInstanceOf(APIConnectionError);
  });

  it("7.4 a rate limit carries its headers", async () => {
    const { client, server } = await connect({
      script: withFault(rateLimited({ retryAfterSeconds: 3 })),
    });
    const error = await failure(client.responses.create({ model, input: "x" }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.headers?.get("retry-after")).toBe("3");
    expect(error.headers?.get("x-ratelimit-reset-tokens")).toBe("3s");
    expect(error.code).toBe("rate_limit_exceeded");
    expect(server.recorder.last!.outcome).toMatchObject({ kind: "refused", status: 429 });
  });

  it("7.4 a body that is no JSON is refused as such", async () => {
    const { server } = await connect();
    for (const body of [
      "{",
      "",
      '{"model": "gpt-6-sol", "input": "\\ud83d"}',
      "[".repeat(50_000) + "]".repeat(50_000),
    ]) {
      const reply = await fetch(`${server.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: "Bearer k" },
        body,
      });
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        error: { message: expect.stringMatching(/^We could not parse the JSON body/), code: null },
      });
    }
  });
});

import {
  answer,
  callTool,
  createOpenAiResponses,
  misbehave,
  type Reply,
  responseFailed,
  type Script,
  think,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import type { RequestParts } from "../provider.ts";
import { askServed, PNG } from "../testing/worlds.ts";
import type { ResponsesItem } from "./facts.ts";
import { openaiResponses } from "./responses.ts";

const PDF = "JVBERi0xLjcK";

const connect = (script: Script) =>
  askServed(
    createOpenAiResponses({ script }),
    (url) => openaiResponses(new OpenAI({ apiKey: "none", baseURL: `${url}/v1` })),
    parts,
  );
const provider = openaiResponses(new OpenAI({ apiKey: "none" }));
const user: ResponsesItem[] = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }];
const parts: RequestParts<ResponsesItem> = {
  model: "gpt-6-sol",
  system: "Be kind.",
  tools: [{ name: "read", inputSchema: { properties: {} } }],
  parameters: {},
  messages: user,
  marks: [0],
  cacheTtl: "1h",
  maxTokens: 1_000,
  session: "session-1",
};
const called = (text: string): Reply => ({ words: [{ ...callTool("read", {}), rawInput: text } as never] });

test("renders a request that stores nothing and includes encrypted reasoning", () => {
  expect(provider.renderRequest({ ...parts, parameters: { reasoning: { effort: "low" }, include: ["x"] } })).toEqual({
    model: "gpt-6-sol",
    instructions: "Be kind.",
    input: user,
    tools: [{ type: "function", name: "read", parameters: { type: "object", properties: {} }, strict: false }],
    reasoning: { effort: "low" },
    include: ["x", "reasoning.encrypted_content"],
    max_output_tokens: 1_000,
    prompt_cache_key: "session-1",
    store: false,
  });
  const plain = provider.renderRequest({ ...parts, model: "gpt-4.1", system: "", tools: [], maxTokens: 0 });
  expect(plain).toEqual({
    model: "gpt-4.1",
    input: user,
    max_output_tokens: 16,
    prompt_cache_key: "session-1",
    store: false,
  });
});

test("sends reasoning back unchanged, and omits reasoning without a following item", async () => {
  const { ask, recorder } = await connect(() => think("hm", answer("Yes.")));
  const { blocks } = await ask();
  const [sealed] = JSON.parse(JSON.stringify(blocks)) as [Extract<Block, { kind: "thinking" }>];
  expect(sealed).toMatchObject({
    kind: "thinking",
    provider: "openai-responses",
    native: { block: { type: "reasoning" } },
  });
  const again = provider.renderMessage({ role: "assistant", blocks });
  expect(JSON.stringify(again[0])).toBe(JSON.stringify(sealed.native?.block));
  await ask({ messages: [...user, ...again, ...user] });
  expect(recorder.last?.outcome.kind).toBe("answered");
  expect(provider.renderMessage({ role: "assistant", blocks: [sealed] })).toEqual([]);
  const foreign: Block = { kind: "thinking", provider: "anthropic", text: "hm", signature: "s" };
  expect(provider.renderMessage({ role: "assistant", blocks: [foreign] })).toEqual([]);
});

test.each([
  ['{"path":"a"}', { path: "a" }, "our form"],
  ['{ "path": "a" }', { path: "a" }, "the native form"],
  ['{"path": "READ', '{"path": "READ', "the native form"],
])("sends the arguments %s back unchanged, in %s", async (text, input, form) => {
  const { ask } = await connect(() => called(text));
  const { blocks, stop } = await ask();
  expect(stop).toBe("tools");
  expect(blocks).toMatchObject([{ kind: "tool_call", name: "read", input }]);
  expect("native" in blocks[0]!).toBe(form === "the native form");
  const [item] = provider.renderMessage({ role: "assistant", blocks: [{ ...blocks[0]!, id: "call_2" } as Block] });
  expect(item).toEqual({ type: "function_call", call_id: "call_2", name: "read", arguments: text });
});

test("renders a result with an image, and shortens long call ids", async () => {
  const id = "x".repeat(100);
  const image: Block = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } };
  const items = [
    ...user,
    ...provider.renderMessage({ role: "assistant", blocks: [{ kind: "tool_call", id, name: "read", input: {} }] }),
    ...provider.renderMessage({
      role: "user",
      blocks: [
        { kind: "tool_result", callId: id, content: [{ kind: "text", text: "see" }, image], status: "ok" },
        { kind: "document", source: { kind: "base64", mediaType: "application/pdf", data: PDF } },
      ],
    }),
  ];
  expect(items[2]).toMatchObject({
    output: [{ type: "input_text" }, { type: "input_image", image_url: `data:image/png;base64,${PNG}` }],
  });
  const { ask } = await connect(() => answer("I see."));
  expect((await ask({ messages: items })).stop).toBe("end");
});

test("keeps the phase and the parts of a message", () => {
  const output = [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      phase: "commentary",
      content: [{ type: "output_text", text: "First.", annotations: [], logprobs: [] }],
    },
  ];
  const { blocks } = provider.readResponse({ id: "resp_1", model: "m", status: "completed", output } as never);
  const { id: _, status: __, ...kept } = output[0]!;
  expect(blocks).toMatchObject([{ kind: "text", text: "First." }]);
  expect(provider.renderMessage({ role: "assistant", blocks })).toEqual([kept]);
});

test("does not send back fields that the client added", async () => {
  const { recorder, url } = await connect(({ turn }) => (turn === 0 ? called('{ "path": "a" }') : answer("Yes.")));
  const client = new OpenAI({ apiKey: "none", baseURL: `${url}/v1` });
  const response = await client.responses.stream({ ...provider.renderRequest(parts), stream: true }).finalResponse();
  const { blocks } = provider.readResponse(response);
  const [call] = blocks as [Extract<Block, { kind: "tool_call" }>];
  const messages = [
    ...user,
    ...provider.renderMessage({ role: "assistant", blocks }),
    ...provider.renderMessage({
      role: "user",
      blocks: [{ kind: "tool_result", callId: call.id, content: "ok", status: "ok" }],
    }),
  ];
  await client.responses.create(provider.renderRequest({ ...parts, messages }));
  expect(recorder.last?.outcome.kind).toBe("answered");
});

test("reads why a response ended", async () => {
  const refused = await connect(() => ({ words: [], stop: "refusal" }));
  expect((await refused.ask()).stop).toBe("refused");
  const cut = await connect(() => answer("word ".repeat(500)));
  expect((await cut.ask({ maxTokens: 20 })).stop).toBe("length");
});

test("throws for a response.failed event", async () => {
  const { ask } = await connect(() => ({ ...answer("x"), fault: responseFailed() }));
  await expect(ask()).rejects.toMatchObject({ failure: { kind: "broken-stream" } });
  const large = await connect(() => ({
    ...answer("x"),
    fault: responseFailed("context_length_exceeded", "too large"),
  }));
  await expect(large.ask()).rejects.toMatchObject({ failure: { kind: "overflow", by: "tokens" } });
});

test("reads empty, blank and thinking-only responses", async () => {
  for (const reply of [misbehave.sayNothing(), misbehave.sayBlank(), misbehave.onlyThink()]) {
    const { ask } = await connect(() => reply);
    expect((await ask()).stop).toBe("end");
  }
});

test("asks for cache diagnostics if the model supports them, and keeps the caller's cache options", async () => {
  const parameters = { prompt_cache_options: { ttl: "30m" } };
  const compared = provider.renderRequest({ ...parts, parameters, previousResponseId: "resp_1" });
  expect(compared.prompt_cache_options).toEqual({ ttl: "30m", comparison_response_id: "resp_1" });
  const old = provider.renderRequest({ ...parts, model: "gpt-4.1", previousResponseId: "resp_1" });
  expect(old.prompt_cache_options).toBeUndefined();
  const off = openaiResponses(new OpenAI({ apiKey: "none" }), { cacheDiagnostics: "off" });
  expect(off.renderRequest({ ...parts, previousResponseId: "resp_1" }).prompt_cache_options).toBeUndefined();
});

test("reads cache diagnostics", async () => {
  const { ask } = await connect(() => answer("Yes."));
  const system = "word ".repeat(4_000);
  const first = await ask({ system });
  expect(first.cacheDiagnosis).toBeUndefined();
  const previousResponseId = first.responseId;
  expect((await ask({ system, previousResponseId })).cacheDiagnosis).toEqual({ reason: "nowhere" });
  const missedTokens = expect.any(Number);
  const other = await ask({ system: `Other. ${system}`, previousResponseId });
  expect(other.cacheDiagnosis).toEqual({ reason: "messages", missedTokens });
  const parameters = { reasoning: { effort: "low" } };
  expect((await ask({ system, parameters, previousResponseId })).cacheDiagnosis).toEqual({
    reason: "parameters",
    missedTokens,
  });
  expect((await ask({ system, previousResponseId: "resp_none" })).cacheDiagnosis).toEqual({ reason: "unknown" });
});

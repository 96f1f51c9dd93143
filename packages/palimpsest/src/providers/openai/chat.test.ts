import {
  answer,
  type CompatibleServer,
  callTool,
  callTools,
  compatibleProfiles,
  createOpenAiChat,
  type Script,
  think,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import { readSilentOverflow } from "../overflow.ts";
import type { RequestParts, ResponseContent, StreamPart } from "../provider.ts";
import { askServed, PNG } from "../testing/worlds.ts";
import { createStreamCollector } from "./chat/stream.ts";
import { type ChatOptions, openaiChat } from "./chat.ts";
import type { ChatMessage } from "./facts.ts";

function connect(script: Script, name?: CompatibleServer, options: ChatOptions = {}) {
  const profile = name === undefined ? {} : { profile: compatibleProfiles[name] };
  const dialect = name === undefined ? "openai" : "compatible";
  return askServed(
    createOpenAiChat({ script, ...profile }),
    (url) => openaiChat(new OpenAI({ apiKey: "none", baseURL: `${url}/v1` }), { dialect, ...options }),
    parts,
  );
}

const user: ChatMessage[] = [{ role: "user", content: "Hello" }];
const parts: RequestParts<ChatMessage> = {
  model: "gpt-6-sol",
  system: "Be kind.",
  tools: [{ name: "read", inputSchema: {} }],
  parameters: {},
  messages: user,
  marks: [],
  cacheTtl: "5m",
  maxTokens: 1_000,
  session: "session-1",
};
const plain = openaiChat(new OpenAI({ apiKey: "none" }));

test("renders a request for OpenAI and for compatible servers", () => {
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
  expect(plain.renderRequest(parts)).toEqual({
    model: "gpt-6-sol",
    messages: [{ role: "system", content: "Be kind." }, ...user],
    tools,
    max_completion_tokens: 1_000,
    prompt_cache_key: "session-1",
  });
  const other = openaiChat(new OpenAI({ apiKey: "none" }), { dialect: "compatible", systemRole: "developer" });
  expect(other.renderRequest(parts)).toEqual({
    model: "gpt-6-sol",
    messages: [{ role: "developer", content: "Be kind." }, ...user],
    tools,
    max_tokens: 1_000,
  });
});

test("puts media after all tool results", async () => {
  const image: Block = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } };
  const calls: Block[] = ["a", "b"].map((id) => ({ kind: "tool_call", id, name: "read", input: {} }));
  const messages = [
    ...user,
    ...plain.renderMessage({ role: "assistant", blocks: calls }),
    ...plain.renderMessage({
      role: "user",
      blocks: [
        { kind: "tool_result", callId: "a", content: [image], status: "ok" },
        { kind: "tool_result", callId: "b", content: "text", status: "ok" },
        { kind: "text", text: "Go on." },
      ],
    }),
  ];
  expect(messages.slice(2)).toEqual([
    { role: "tool", tool_call_id: "a", content: "(shown in the next message)" },
    { role: "tool", tool_call_id: "b", content: "text" },
    {
      role: "user",
      content: [
        { type: "text", text: "Shown by the tool call a:" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        { type: "text", text: "Go on." },
      ],
    },
  ]);
  const { ask } = await connect(() => answer("I see."));
  expect((await ask({ messages })).stop).toBe("end");
});

test.each([
  ['{"path":"a"}', '{"path":"a"}'],
  ['{ "path": "a" }', '{ "path": "a" }'],
  ['{"path": "READ', '{"input":"{\\"path\\": \\"READ"}'],
  ['"just text"', '{"input":"just text"}'],
])("sends the arguments %s back as %s", async (text, sent) => {
  const { ask } = await connect(() => ({ words: [{ ...callTool("read", {}), rawInput: text } as never] }));
  const { blocks } = await ask();
  const [message] = plain.renderMessage({ role: "assistant", blocks });
  expect(message).toMatchObject({ tool_calls: [{ function: { arguments: sent } }] });
});

test("keeps reasoning, and sends it back only with the option for it", async () => {
  const script: Script = () => think("hm", callTools(callTool("read", {})));
  const { ask, provider } = await connect(script, "DeepSeek", { thinking: "sent-back" });
  const { blocks, usage } = await ask();
  expect(blocks[0]).toEqual({ kind: "thinking", provider: "openai-chat", text: "hm" });
  expect(usage.reasoningTokens).toBeGreaterThan(0);
  expect(provider.renderMessage({ role: "assistant", blocks })).toMatchObject([{ reasoning_content: "hm" }]);
  expect(plain.renderMessage({ role: "assistant", blocks })[0]).not.toHaveProperty("reasoning_content");
});

test("reads cached input by any field name", async () => {
  const { ask } = await connect(() => answer("ok"), "DeepSeek");
  const messages: ChatMessage[] = [{ role: "user", content: "All work and no play. ".repeat(500) }];
  const [first, second] = [await ask({ messages }), await ask({ messages })].map(({ usage }) => usage);
  expect(second!.cacheReadTokens).toBeGreaterThan(0);
  expect(second!.freshTokens + second!.cacheReadTokens).toBe(first!.freshTokens + first!.cacheReadTokens);
});

describe("overflow of compatible servers", () => {
  const refusing = Object.entries(compatibleProfiles).filter(([, { overflow }]) => overflow.kind === "refuse");
  test.each(refusing.map(([name]) => name as CompatibleServer))("recognizes the error of %s", async (name) => {
    const { ask } = await connect(() => answer("ok"), name);
    const windowTokens = compatibleProfiles[name].model!.windowTokens;
    const messages: ChatMessage[] = [{ role: "user", content: "word ".repeat(windowTokens) }];
    await expect(ask({ messages })).rejects.toMatchObject({
      failure: { kind: "overflow", by: name === "Cerebras status 413" ? "bytes" : "tokens" },
    });
  });

  test("detects an overflow without an error", async () => {
    const messages: ChatMessage[] = [{ role: "user", content: "word ".repeat(300_000) }];
    const emitted = await connect(() => answer("ok"), "z.ai");
    expect((await emitted.ask({ messages })).stop).toBe("window");
    const silent = await connect(() => answer("ok"), "z.ai silent");
    expect(readSilentOverflow(await silent.ask({ messages }), 204_800)?.kind).toBe("overflow");
    const cut = await connect(() => answer("ok"), "MiMo");
    expect(readSilentOverflow(await cut.ask({ messages }), 262_144)?.kind).toBe("overflow");
  });
});

describe("streams of compatible servers", () => {
  const collect = (chunks: readonly object[]): { parts: StreamPart[]; content: ResponseContent | undefined } => {
    const collector = createStreamCollector();
    const parts = chunks.flatMap((chunk) => [...collector.add({ id: "c", model: "m", ...chunk } as never)]);
    const whole = collector.whole();
    return { parts, content: whole && plain.readResponse(whole) };
  };
  const delta = (fields: object, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, delta: fields, finish_reason }],
  });
  const call = (fields: object): object => delta({ tool_calls: [fields] });
  const f = (name: string | undefined, text: string): object => ({ function: { name, arguments: text } });

  test.each([
    [
      "one after another, by index",
      [
        { index: 0, id: "a", ...f("x", "") },
        { index: 0, ...f(undefined, "{}") },
        { index: 1, id: "b", ...f("y", "{}") },
      ],
    ],
    [
      "whole, and all with index 0",
      [
        { index: 0, id: "a", ...f("x", "{}") },
        { index: 0, id: "b", ...f("y", "{}") },
      ],
    ],
    [
      "whole, without an index",
      [
        { id: "a", ...f("x", "{}") },
        { id: "b", ...f("y", "{}") },
      ],
    ],
    ["in pieces, without an index", [{ id: "a", ...f("x", "{") }, f(undefined, "}"), { id: "b", ...f("y", "{}") }]],
    [
      "names repeated in every piece",
      [
        { index: 0, id: "a", ...f("x", "{") },
        { index: 0, id: "a", ...f("x", "}") },
        { index: 1, id: "b", ...f("y", "{}") },
      ],
    ],
  ])("assembles tool calls: %s", (_, deltas) => {
    const { content } = collect([...deltas.map(call), delta({}, "stop")]);
    expect(content).toMatchObject({
      stop: "tools",
      blocks: [
        { kind: "tool_call", id: "a", name: "x", input: {} },
        { kind: "tool_call", id: "b", name: "y", input: {} },
      ],
    });
  });

  test("keeps two calls with the same id", async () => {
    const { ask } = await connect(() => callTools(callTool("read", { n: 1 }), callTool("read", { n: 2 })), "llama.cpp");
    const { blocks } = await ask();
    expect(blocks).toMatchObject([
      { id: "call_0", input: { n: 1 } },
      { id: "call_0", input: { n: 2 } },
    ]);
  });

  test("reads the usage from the last chunk, or none", () => {
    const usage = (prompt_tokens: number): object => ({ usage: { prompt_tokens, completion_tokens: 1 } });
    const { content } = collect([
      { ...delta({ content: "a" }), ...usage(5) },
      { ...delta({}, "stop"), ...usage(7) },
    ]);
    expect(content?.usage).toMatchObject({ freshTokens: 7, outputTokens: 1 });
    expect(collect([delta({ content: "a" }, "stop")]).content?.usage.freshTokens).toBe(0);
  });

  test("returns no response without a finish reason", () => {
    expect(collect([delta({ content: "a" })]).content).toBeUndefined();
  });

  test("reads an answer in one document instead of a stream", async () => {
    const body = {
      id: "c",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
    };
    const fetch = async (): Promise<Response> => Response.json(body);
    const provider = openaiChat(new OpenAI({ apiKey: "none", fetch }));
    const sent = provider.send(provider.renderRequest(parts));
    const { value } = await sent.next();
    expect(provider.readResponse(value as never)).toMatchObject({
      blocks: [{ kind: "text", text: "hi" }],
      stop: "end",
    });
  });
});

test("requests usage unless the parameters remove the field", async () => {
  const { ask, recorder } = await connect(() => answer("ok"));
  await ask();
  expect(JSON.parse(recorder.last!.body)).toMatchObject({ stream_options: { include_usage: true } });
  await ask({ parameters: { stream_options: null } });
  expect(JSON.parse(recorder.last!.body)).not.toHaveProperty("stream_options");
});

test("reads the window from the server's description of the model", async () => {
  const fetch = async (): Promise<Response> => Response.json({ id: "m", object: "model", max_model_len: 32_768 });
  const provider = openaiChat(new OpenAI({ apiKey: "none", fetch }));
  expect((await provider.fetchFacts("m")).windowTokens).toBe(32_768);
});

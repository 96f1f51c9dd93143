import { BedrockRuntime } from "@aws-sdk/client-bedrock-runtime";
import {
  answer,
  callTool,
  callTools,
  createBedrock,
  inOrder,
  misbehave,
  type Script,
  serverError,
  spendLimitReached,
  think,
} from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { toClientError } from "./bedrock/facts.ts";
import { createStreamCollector } from "./bedrock/stream.ts";
import { type BedrockMessage, bedrock } from "./bedrock.ts";
import { knownModel } from "./known-models.ts";
import type { RequestParts } from "./provider.ts";
import { askServed, bedrockClient, PNG } from "./testing/worlds.ts";

const parts: RequestParts<BedrockMessage> = {
  model: "us.anthropic.claude-haiku-5-5",
  system: "Be kind.",
  tools: [{ name: "read", description: "Reads a file.", inputSchema: {} }],
  parameters: { inferenceConfig: { temperature: 1 } },
  messages: [{ role: "user", content: [{ text: "Hello" }] }],
  marks: [],
  cacheTtl: "5m",
  maxTokens: 4_000,
  session: "session-1",
};

const connect = (script: Script) => askServed(createBedrock({ script }), (url) => bedrock(bedrockClient(url)), parts);
const plain = bedrock(new BedrockRuntime({ region: "us-east-1" }));

test("renders a request with cache points at the marks", () => {
  const messages: BedrockMessage[] = [
    { role: "user", content: [{ text: "Hello" }] },
    {
      role: "assistant",
      content: [{ text: "Yes?" }, { reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } } }],
    },
  ];
  expect(plain.renderRequest({ ...parts, messages, marks: [0, 1], cacheTtl: "1h" })).toEqual({
    modelId: "us.anthropic.claude-haiku-5-5",
    system: [{ text: "Be kind." }, { cachePoint: { type: "default", ttl: "1h" } }],
    messages: [
      { role: "user", content: [{ text: "Hello" }, { cachePoint: { type: "default", ttl: "1h" } }] },
      {
        role: "assistant",
        content: [
          { text: "Yes?" },
          { cachePoint: { type: "default", ttl: "1h" } },
          { reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } } },
        ],
      },
    ],
    inferenceConfig: { temperature: 1, maxTokens: 4_000 },
    toolConfig: {
      tools: [{ toolSpec: { name: "read", description: "Reads a file.", inputSchema: { json: { type: "object" } } } }],
    },
  });
  const bare = plain.renderRequest({ ...parts, system: "" });
  expect(bare.toolConfig?.tools.at(-1)).toEqual({ cachePoint: { type: "default" } });
});

test("sends and reads thinking, calls, results and bytes over HTTP/2", async () => {
  const script = inOrder([
    {
      words: [
        { kind: "thinking", text: "Hidden.", display: "redacted" },
        ...callTools(callTool("read", { path: "a" })).words,
      ],
    },
    think("Once more.", answer("It is a picture.")),
  ]);
  const { ask, provider, recorder } = await connect(script);
  const fields = { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 9_000 } } };
  const { blocks, stop, responseId } = await ask({ parameters: fields });
  expect([stop, blocks.map(({ kind }) => kind)]).toEqual(["tools", ["thinking", "tool_call"]]);
  expect(responseId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  // The output limit lowers the budget.
  expect(JSON.parse(recorder.last!.body).additionalModelRequestFields.thinking.budget_tokens).toBe(3_999);
  const [call] = blocks.flatMap((block) => (block.kind === "tool_call" ? [block] : []));
  const image: Block = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: PNG } };
  const result: Block = { kind: "tool_result", callId: call!.id, content: [image as never], status: "ok" };
  const messages = [
    ...parts.messages,
    ...provider.renderMessage({ role: "assistant", blocks }),
    ...provider.renderMessage({ role: "user", blocks: [result] }),
  ];
  const said = await ask({ messages, parameters: fields });
  expect(said.blocks.at(-1)).toEqual({ kind: "text", text: "It is a picture." });
  expect(recorder.total()).toMatchObject({ answered: 2, refused: 0 });
  const sent = JSON.parse(recorder.last!.body).messages[2].content[0].toolResult.content[0];
  expect(sent.image.source.bytes).toBe(PNG);
});

test("turns thinking off in a turn that began without thinking", async () => {
  const { ask } = await connect(() => answer("ok"));
  const call: Block = { kind: "tool_call", id: "call|1", name: "read", input: {} };
  const result: Block = { kind: "tool_result", callId: "call|1", content: "", status: "error" };
  const messages = [
    ...parts.messages,
    ...plain.renderMessage({ role: "assistant", blocks: [call] }),
    ...plain.renderMessage({ role: "user", blocks: [result] }),
  ];
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  const parameters = { additionalModelRequestFields: { thinking } };
  expect(plain.renderRequest({ ...parts, messages, parameters })).not.toHaveProperty("additionalModelRequestFields");
  expect((await ask({ messages, parameters })).stop).toBe("end");
});

test("defines earlier tools in a request without tools", async () => {
  const { ask, recorder } = await connect(() => answer("A summary."));
  const call: Block = { kind: "tool_call", id: "1", name: "gone.tool", input: "broken" };
  const result: Block = { kind: "tool_result", callId: "1", content: "text", status: "ok" };
  const messages = [
    ...parts.messages,
    ...plain.renderMessage({ role: "assistant", blocks: [call] }),
    ...plain.renderMessage({ role: "user", blocks: [result] }),
  ];
  await ask({ messages, tools: [] });
  expect(JSON.parse(recorder.last!.body).toolConfig.tools).toEqual([
    { toolSpec: { name: "gone_tool", inputSchema: { json: { type: "object" } } } },
  ]);
});

test("gives documents unique names and a text, and describes media that Bedrock refuses", () => {
  const document: Block = { kind: "document", source: { kind: "base64", mediaType: "text/markdown", data: "SGk=" } };
  const web: Block = { kind: "image", source: { kind: "url", url: "https://example.org/a.png" } };
  const [alone] = plain.renderMessage({ role: "user", blocks: [document] });
  expect(alone?.content).toEqual([
    { document: { format: "md", name: expect.stringMatching(/^document [0-9a-f]{8}$/), source: { bytes: "SGk=" } } },
    { text: "(document)" },
  ]);
  const result: Block = { kind: "tool_result", callId: "1", content: [document as never, web as never], status: "ok" };
  const [second] = plain.renderMessage({ role: "user", blocks: [result] });
  const { messages } = plain.renderRequest({ ...parts, messages: [alone!, second!] });
  const name = alone!.content[0]!.document!.name;
  expect(messages[1]?.content[0]?.toolResult?.content).toMatchObject([
    { document: { name: `${name} 2` } },
    { text: "[image at https://example.org/a.png, which cannot be shown]" },
  ]);
});

test("caches system prompt and tools for an hour, and messages for five minutes", async () => {
  const { ask } = await connect(() => answer("ok"));
  const long: BedrockMessage = { role: "user", content: [{ text: "All work and no play. ".repeat(1_000) }] };
  const system = "Be brief. ".repeat(3_000);
  const { usage } = await ask({ system, messages: [long], marks: [0], headTtl: "1h" });
  expect(usage.cacheWrite1hTokens).toBeGreaterThan(5_000);
  expect(usage.cacheWriteTokens - usage.cacheWrite1hTokens!).toBeGreaterThan(3_000);
});

test("reads fresh, cached and written input", async () => {
  const { ask } = await connect(() => answer("ok"));
  const long: BedrockMessage = { role: "user", content: [{ text: "All work and no play. ".repeat(1_000) }] };
  const first = await ask({ messages: [long], marks: [0], cacheTtl: "1h" });
  expect(first.usage.cacheWrite1hTokens).toBe(first.usage.cacheWriteTokens);
  const again = await ask({ messages: [long], marks: [0], cacheTtl: "1h" });
  expect(again.usage).toMatchObject({
    freshTokens: 0,
    cacheReadTokens: first.usage.cacheWriteTokens,
    cacheWriteTokens: 0,
  });
});

test.each([
  [misbehave.refuse, "refused"],
  [misbehave.stopAtOutputLimit, "length"],
  [() => callTools(callTool("read", {})), "tools"],
] as const)("reads how a response ended: %s is %s", async (script, stop) => {
  const { ask } = await connect(script as Script);
  expect((await ask()).stop).toBe(stop);
});

test("keeps tool input that is not JSON", async () => {
  const { ask } = await connect(misbehave.garbleToolInput as Script);
  expect((await ask()).blocks).toMatchObject([{ kind: "tool_call", input: '{"path": "READ' }]);
});

test.each([
  [spendLimitReached(), { kind: "refused", status: 400 }],
  [serverError(), { kind: "overloaded" }],
  [{ kind: "stream-error", afterEvents: 3, failure: { kind: "timeout" } } as const, { kind: "overloaded" }],
  [
    { kind: "stream-error", afterEvents: 3, failure: { kind: "rate-limited", retryAfterSeconds: 1 } } as const,
    { kind: "rate-limited" },
  ],
])("classifies failures by name: %j", async (fault, failure) => {
  const { ask } = await connect(() => ({ ...answer("The stream ends before this answer. ".repeat(9)), fault }));
  await expect(ask()).rejects.toMatchObject({ failure });
});

test("does not change errors that the service did not send", () => {
  const error = Object.assign(new Error("Could not load credentials"), { name: "CredentialsProviderError" });
  expect(toClientError(error)).toBe(error);
});

test("returns no response before its usage", () => {
  const collector = createStreamCollector("m");
  collector.add({ contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hi" } } });
  collector.add({ messageStop: { stopReason: "end_turn" } });
  expect(collector.whole()).toBeUndefined();
  collector.add({
    metadata: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } },
  });
  expect(plain.readResponse(collector.whole()!)).toMatchObject({ model: "m", blocks: [{ kind: "text", text: "Hi" }] });
});

test("reads other programs' messages with bytes and cache points", () => {
  const read = plain.readMessages([
    { role: "user", content: [{ text: "Look." }, { cachePoint: { type: "default" } }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: "1", name: "read", input: { n: 1 } } }] },
    {
      role: "user",
      content: [{ toolResult: { toolUseId: "1", content: [{ json: { found: 2 } }], status: "error" } }, { video: {} }],
    },
  ] as never);
  expect(read.map(({ origin, blocks }) => [origin, ...blocks])).toMatchObject([
    ["human", { kind: "text", text: "Look." }],
    ["model", { kind: "tool_call", id: "1", input: { n: 1 } }],
    ["tool", { callId: "1", content: '{"found":2}', status: "error" }],
    ["human", { kind: "opaque" }],
  ]);
  const redacted = { reasoningContent: { redactedContent: new Uint8Array([1, 2, 3]) } };
  const { blocks } = plain.readResponse({ output: { message: { content: [redacted] } } });
  expect(plain.renderMessage({ role: "assistant", blocks })[0]?.content).toEqual([
    { reasoningContent: { redactedContent: "AQID" } },
  ]);
});

test("counts tokens without the profile, and returns no count if the model cannot count", async () => {
  const { provider } = await connect(() => answer("ok"));
  const request = provider.renderRequest(parts);
  expect(await provider.countTokens(request)).toBeGreaterThan(0);
  expect(await provider.countTokens({ ...request, modelId: "amazon.nova-pro-v1:0" })).toBeUndefined();
});

test("finds Claude by any id, with 10% higher prices outside the global profile", () => {
  const arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0";
  expect(plain.factsOf(arn)).toMatchObject({ windowTokens: 200_000, prices: { input: 5.5 } });
  expect(plain.factsOf("global.anthropic.claude-opus-5-5").prices?.input).toBe(4);
  expect(plain.factsOf("eu.anthropic.claude-haiku-5-5").prices?.above?.input).toBeCloseTo(0.55);
  expect(plain.factsOf("amazon.nova-pro-v1:0").prices).toBeUndefined();
  expect(knownModel("us.anthropic.claude-sonnet-4-6")).toMatchObject({
    provider: "bedrock",
    facts: { windowTokens: 1_000_000 },
  });
  expect(knownModel("anthropic/claude-sonnet-4-6").provider).toBe("anthropic");
});

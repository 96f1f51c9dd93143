import { GoogleGenAI } from "@google/genai";
import {
  answer,
  callTool,
  callTools,
  createGemini,
  inOrder,
  misbehave,
  type Script,
  spendLimitReached,
  think,
} from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { createStreamCollector } from "./gemini/stream.ts";
import { type GeminiMessage, type GeminiResponse, gemini } from "./gemini.ts";
import type { RequestParts } from "./provider.ts";
import { askServed, PNG } from "./testing/worlds.ts";

const parts: RequestParts<GeminiMessage> = {
  model: "gemini-4-argon",
  system: "Be kind.",
  tools: [{ name: "read", description: "Reads a file.", inputSchema: {} }],
  parameters: { temperature: 1, tools: [{ googleSearch: {} }] },
  messages: [{ role: "user", parts: [{ text: "Hello" }] }],
  marks: [],
  cacheTtl: "5m",
  maxTokens: 1_000,
  session: "session-1",
};

const connect = (script: Script) =>
  askServed(
    createGemini({ script }),
    (baseUrl) => gemini(new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } })),
    parts,
  );
const plain = gemini(new GoogleGenAI({ apiKey: "none" }));

test("renders a request with functions and the caller's own tools", () => {
  expect(plain.renderRequest(parts)).toEqual({
    model: "gemini-4-argon",
    contents: parts.messages,
    config: {
      temperature: 1,
      maxOutputTokens: 1_000,
      systemInstruction: "Be kind.",
      tools: [
        {
          functionDeclarations: [
            { name: "read", description: "Reads a file.", parametersJsonSchema: { type: "object" } },
          ],
        },
        { googleSearch: {} },
      ],
    },
  });
});

test("sends signed parts back unchanged and in order", async () => {
  const script = inOrder([
    { words: [{ kind: "text", text: "I look. ".repeat(9) }, callTool("read", { path: "a" }), callTool("read", {})] },
    answer("Done."),
  ]);
  const { ask, provider, recorder } = await connect(script);
  const { blocks } = await ask();
  expect(blocks.map(({ kind }) => kind)).toEqual(["text", "tool_call", "tool_call"]);
  const [model] = provider.renderMessage({ role: "assistant", blocks });
  expect(model?.parts?.map((part) => part.thoughtSignature !== undefined)).toEqual([false, true, false]);
  const results = blocks.flatMap((block): Block[] =>
    block.kind === "tool_call" ? [{ kind: "tool_result", callId: block.id, content: "text", status: "error" }] : [],
  );
  const [user] = provider.renderMessage({ role: "user", blocks: results });
  const { blocks: said } = await ask({ messages: [...parts.messages, model!, user!] });
  expect(JSON.parse(recorder.last!.body).contents[2].parts[0].functionResponse).toEqual({
    id: expect.any(String),
    name: "read",
    response: { error: "text" },
  });
  // The signature came in a separate part after the text.
  expect(said).toMatchObject([{ kind: "text", text: "Done." }]);
  const [last] = provider.renderMessage({ role: "assistant", blocks: said });
  expect(last?.parts).toEqual([{ text: "Done." }, { text: "", thoughtSignature: expect.any(String) }]);
});

test("adds the placeholder to calls from another model if the model requires signatures", () => {
  const call: Block = { kind: "tool_call", id: "1", name: "read", input: "no object" };
  const messages = plain.renderMessage({ role: "assistant", blocks: [call, { ...call, id: "2" }] });
  const sent = (model: string) => plain.renderRequest({ ...parts, model, messages }).contents[0]?.parts;
  expect(sent("gemini-4-argon")).toEqual([
    {
      functionCall: { id: "1", name: "read", args: { input: "no object" } },
      thoughtSignature: "skip_thought_signature_validator",
    },
    { functionCall: { id: "2", name: "read", args: { input: "no object" } } },
  ]);
  expect(sent("gemini-2.5-pro")?.[0]).not.toHaveProperty("thoughtSignature");
});

test("puts media after the tool results, and describes media that Gemini refuses", () => {
  const image = (mediaType: string): Block => ({ kind: "image", source: { kind: "base64", mediaType, data: PNG } });
  const blocks: Block[] = [
    { kind: "tool_result", callId: "1", content: [image("image/png") as never], status: "ok" },
    image("image/gif"),
    { kind: "document", source: { kind: "url", url: "https://example.org/a.pdf" } },
  ];
  expect(plain.renderMessage({ role: "user", blocks })[0]?.parts).toEqual([
    { functionResponse: { id: "1", name: "", response: { output: "(shown below)" } } },
    { text: "Shown by the tool call 1:" },
    { inlineData: { mimeType: "image/png", data: PNG } },
    { text: "[image of type image/gif, which cannot be shown]" },
    { text: "[document at https://example.org/a.pdf, which cannot be shown]" },
  ]);
});

test("streams and counts thoughts, and sends only signed parts back", async () => {
  const { ask, provider } = await connect(() => think("Let me see.", answer("Four.")));
  const { blocks, usage } = await ask({ parameters: { thinkingConfig: { includeThoughts: true } } });
  expect(blocks[0]).toEqual({ kind: "thinking", provider: "gemini", text: "Let me see." });
  expect(usage.reasoningTokens).toBeGreaterThan(0);
  const [message] = provider.renderMessage({ role: "assistant", blocks });
  expect(message?.parts?.map(({ text }) => text)).toEqual(["Four.", ""]);
});

test.each([
  [misbehave.refuse, "refused"],
  [misbehave.garbleToolInput, "other"],
  [misbehave.stopAtOutputLimit, "length"],
  [() => callTools(callTool("read", {})), "tools"],
] as const)("how a response ends: %s is %s", async (script, stop) => {
  const { ask } = await connect(script as Script);
  expect((await ask()).stop).toBe(stop);
});

test("reports spent money as refused", async () => {
  const { ask } = await connect(() => ({ ...answer("no"), fault: spendLimitReached() }));
  await expect(ask()).rejects.toMatchObject({ failure: { kind: "refused", status: 429 } });
});

test("returns the response to a blocked prompt", () => {
  const collector = createStreamCollector();
  const blocked: GeminiResponse = { responseId: "r", promptFeedback: { blockReason: "SAFETY" as never } };
  collector.add(blocked as never);
  expect(plain.readResponse(collector.whole()!)).toMatchObject({ blocks: [], stop: "refused" });
});

test("reports usage at the start of a stream and after each change", () => {
  const collector = createStreamCollector();
  const usages = [{ promptTokenCount: 9 }, { promptTokenCount: 9 }, { promptTokenCount: 9, candidatesTokenCount: 4 }];
  const reports = usages.flatMap((usageMetadata) => [
    ...collector.add({ responseId: "r", modelVersion: "m", usageMetadata } as never),
  ]);
  expect(reports).toMatchObject([{ usage: { freshTokens: 9 } }, { usage: { freshTokens: 9, outputTokens: 4 } }]);
  expect(reports[0]).not.toHaveProperty("usage.outputTokens");
});

test("reads other programs' contents without ids", () => {
  const read = plain.readMessages([
    { role: "model", parts: [{ functionCall: { name: "a" } }, { functionCall: { name: "b", args: { n: 1 } } }] },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "b", response: { found: 2 } } },
        { functionResponse: { name: "a", response: { error: "no" } } },
        { text: "Go on." },
      ],
    },
  ]);
  expect(read.map(({ origin, blocks }) => [origin, ...blocks])).toMatchObject([
    ["model", { id: "call-0-0", name: "a" }, { id: "call-0-1", input: { n: 1 } }],
    ["tool", { callId: "call-0-1", content: '{"found":2}', status: "ok" }],
    ["tool", { callId: "call-0-0", content: "no", status: "error" }],
    ["human", { kind: "text", text: "Go on." }],
  ]);
});

test("counts tokens if the client counts the whole request", async () => {
  const { provider } = await connect(() => answer("ok"));
  const request = provider.renderRequest({ ...parts, parameters: {} });
  expect(await provider.countTokens(request)).toBeUndefined();
  const { contents, model } = request;
  expect(await provider.countTokens({ model, contents, config: {} })).toBeGreaterThan(0);
  expect(await provider.countTokens({ model: "gemini-0", contents, config: {} })).toBeUndefined();
});

test("prefers the models endpoint over the table", async () => {
  const { provider } = await connect(() => answer("ok"));
  expect(await provider.fetchFacts("gemini-3.8-flash")).toMatchObject({ windowTokens: 1_048_576, known: "asked" });
  expect(provider.factsOf("models/gemini-3.8-flash").prices?.cacheRead).toBe(0.15);
});

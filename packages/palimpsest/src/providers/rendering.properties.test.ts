import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntime } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import {
  createAnthropic,
  createBedrock,
  createGemini,
  createOpenAiChat,
  createOpenAiResponses,
  type Verdict,
} from "@palimpsest/provider-simulator";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Block, Media, Part } from "../log/block.ts";
import type { FlatMessage } from "../view/view.ts";
import { anthropic } from "./anthropic.ts";
import { type BedrockRequest, bedrock } from "./bedrock.ts";
import { type GeminiRequest, gemini } from "./gemini.ts";
import { openaiChat, openaiResponses } from "./openai.ts";
import type { Provider } from "./provider.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((value) => /\S/.test(value));
/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";
/** The data matches the media type: the session rejects other media before rendering. */
const base64 = fc.oneof(
  fc.constant({ mediaType: "image/png", data: PNG }),
  fc.constant({ mediaType: "application/pdf", data: "JVBERi0xLjcK" }),
  fc.record({
    mediaType: fc.constantFrom("image/bmp", "text/plain", "application/zip"),
    data: fc.base64String(),
  }),
);
const media: fc.Arbitrary<Media> = fc.record({
  kind: fc.constantFrom("image", "document"),
  source: fc.oneof(
    base64.map((content) => ({ kind: "base64" as const, ...content })),
    fc.record({ kind: fc.constant("url" as const), url: fc.webUrl() }),
  ),
});
const part: fc.Arbitrary<Part> = fc.oneof(fc.record({ kind: fc.constant("text" as const), text }), media);
const result = fc.oneof(fc.string({ unit: "grapheme" }), fc.array(part, { maxLength: 3 }));
const status = fc.constantFrom("ok" as const, "error" as const);
const said = fc.record({
  texts: fc.array(text, { maxLength: 2 }),
  inputs: fc.array(fc.jsonValue(), { maxLength: 3 }),
  idLength: fc.integer({ min: 8, max: 120 }),
  results: fc.array(fc.tuple(result, status), { minLength: 3, maxLength: 3 }),
  rest: fc.array(part, { minLength: 1, maxLength: 3 }),
});

/** A flattened conversation: roles alternate, and the message after a call begins with its result. */
const conversation: fc.Arbitrary<readonly FlatMessage[]> = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.array(said, { maxLength: 4 }))
  .map(([first, rounds]) => [
    { role: "user", blocks: first },
    ...rounds.flatMap(({ texts, inputs, idLength, results, rest }, round): FlatMessage[] => {
      const calls = inputs.map((input, index): Block => {
        return { kind: "tool_call", id: `${round}_${index}_`.padEnd(idLength, "x"), name: "read", input };
      });
      const words = texts.length === 0 && calls.length === 0 ? ["Yes."] : texts;
      const answers = calls.map((call, index): Block => {
        const [content, status] = results[index]!;
        return { kind: "tool_result", callId: (call as { id: string }).id, content, status };
      });
      return [
        { role: "assistant", blocks: [...words.map((text): Block => ({ kind: "text", text })), ...calls] },
        { role: "user", blocks: [...answers, ...rest] },
      ];
    }),
  ]);

const subjects: Readonly<Record<string, { provider: Provider; model: string; judge(body: unknown): Verdict }>> = {
  anthropic: {
    provider: anthropic(new Anthropic({ apiKey: "none" })),
    model: "claude-opus-5-5",
    judge: createAnthropic().judge,
  },
  "openai responses": {
    provider: openaiResponses(new OpenAI({ apiKey: "none" })),
    model: "gpt-6-sol",
    judge: createOpenAiResponses().judge,
  },
  "openai chat": {
    provider: openaiChat(new OpenAI({ apiKey: "none" })),
    model: "gpt-6-sol",
    judge: createOpenAiChat().judge,
  },
  gemini: {
    provider: gemini(new GoogleGenAI({ apiKey: "none" })) as Provider,
    model: "gemini-4-argon",
    judge(body) {
      const { model, contents, config } = body as GeminiRequest;
      const { maxOutputTokens, systemInstruction, tools } = config;
      // The client sends JSON.
      return createGemini().judge(model, {
        contents,
        tools,
        systemInstruction: { parts: [{ text: systemInstruction }] },
        generationConfig: { maxOutputTokens },
      });
    },
  },
  bedrock: {
    provider: bedrock(new BedrockRuntime({ region: "us-east-1" })) as Provider,
    model: "us.anthropic.claude-opus-5-5",
    judge(body) {
      const { modelId, ...request } = body as BedrockRequest;
      return createBedrock().judge(modelId, request);
    },
  },
};

describe.each(Object.entries(subjects))("%s", (_, { provider, model, judge }) => {
  const render = (messages: readonly FlatMessage[], marks: readonly number[], cacheTtl: "5m" | "1h"): unknown => {
    const rendered = messages.flatMap((message) => provider.renderMessage(message));
    return provider.renderRequest({
      model,
      system: "Be kind.",
      tools: [{ name: "read", inputSchema: {} }],
      parameters: {},
      messages: rendered,
      marks: marks.map((mark) => mark % rendered.length).sort((left, right) => left - right),
      cacheTtl,
      maxTokens: 1_000,
      session: "s",
    });
  };

  test("renders any conversation in a form that the service accepts", () => {
    const marks = fc.array(fc.nat(), { maxLength: 6 });
    fc.assert(
      fc.property(conversation, marks, fc.constantFrom("5m", "1h"), (messages, places, ttl) => {
        expect(judge(JSON.parse(JSON.stringify(render(messages, places, ttl))))).toMatchObject({ kind: "accepted" });
      }),
    );
  });

  test("renders a longer conversation with the bytes of the shorter one as its prefix", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const bytes = (list: readonly FlatMessage[]): string =>
          JSON.stringify(list.flatMap((message) => provider.renderMessage(message))).slice(0, -1);
        expect(bytes(messages).startsWith(bytes(messages.slice(0, -2)))).toBe(true);
      }),
    );
  });
});

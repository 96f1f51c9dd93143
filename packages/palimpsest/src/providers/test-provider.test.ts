import Anthropic from "@anthropic-ai/sdk";
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  cutStream,
  type Fault,
  type HttpFace,
  inOrder,
  type OpenAiModel,
  openAiModels,
  overloaded,
  overloadedInStream,
  type Reply,
  rateLimited,
  resetConnection,
  type Script,
  serve,
  stallStream,
  type Words,
} from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { describe, test } from "vitest";
import { anthropic } from "./anthropic.ts";
import { openaiChat, openaiResponses } from "./openai.ts";
import type { Provider } from "./provider.ts";
import { type TestReply, type TestSituation, testProvider } from "./test-provider.ts";

/** A face of the simulator, and the adapter with the real client in front of it. */
interface Subject {
  readonly model: string;
  readonly path: string;
  /** `windowTokens`: undefined for that of the model. */
  face(script: Script, windowTokens: number | undefined): HttpFace;
  connect(url: string): Provider;
}

const subjects: Readonly<Record<string, Subject>> = {
  anthropic: {
    model: "claude-opus-5-5",
    path: "/v1/messages",
    face(script, windowTokens) {
      const model = ANTHROPIC_MODELS.find(({ id }) => id === "claude-opus-5-5")!;
      return createAnthropic({ script, models: windowTokens === undefined ? [] : [{ ...model, windowTokens }] });
    },
    connect: (url) => anthropic(new Anthropic({ apiKey: "none", baseURL: url })),
  },
  "openai responses": {
    model: "gpt-6-sol",
    path: "/v1/responses",
    face: (script, windowTokens) => createOpenAiResponses({ script, models: gptWith(windowTokens) }),
    connect: (url) => openaiResponses(new OpenAI({ apiKey: "none", baseURL: `${url}/v1` })),
  },
  "openai chat": {
    model: "gpt-6-sol",
    path: "/v1/chat/completions",
    face: (script, windowTokens) => createOpenAiChat({ script, models: gptWith(windowTokens) }),
    connect: (url) => openaiChat(new OpenAI({ apiKey: "none", baseURL: `${url}/v1` })),
  },
};

function gptWith(windowTokens: number | undefined): Record<string, OpenAiModel> {
  const model = openAiModels["gpt-6-sol"]!;
  return windowTokens === undefined ? {} : { "gpt-6-sol": { ...model, windowTokens, maxInputTokens: windowTokens } };
}

describe.each(Object.entries(subjects))("%s", (_, { model, path, face, connect }) => {
  testProvider({
    test,
    async place(situation) {
      const server = await serve({
        faces: [face(toScript(situation), situation.kind === "overflow" ? 10 : undefined)],
      });
      return {
        provider: connect(server.url),
        model,
        calls: () => server.recorder.exchanges.filter((exchange) => exchange.path === path).length,
        remove: () => server.close(),
      };
    },
  });
});

function toScript(situation: TestSituation): Script {
  if (situation.kind === "replies") return inOrder(situation.replies.map(toReply));
  const fault = toFault(situation);
  return () => ({
    ...answer("This will not be heard to its end. ".repeat(20)),
    ...(fault === undefined ? {} : { fault }),
  });
}

function toReply({ thinking, text, calls = [] }: TestReply): Reply {
  const words: Words[] = [];
  if (thinking !== undefined) words.push({ kind: "thinking", text: thinking });
  if (text !== undefined) words.push({ kind: "text", text });
  return { words: [...words, ...calls.map(({ name, input }) => callTool(name, input))] };
}

function toFault(situation: TestSituation): Fault | undefined {
  switch (situation.kind) {
    case "rate-limited":
      return rateLimited({ retryAfterSeconds: situation.retryAfterMs / 1_000 });
    case "overloaded":
      return overloaded();
    case "overloaded-in-stream":
      return overloadedInStream();
    case "cut-stream":
      return cutStream(5);
    case "stalled-stream":
      return stallStream(4, 60_000);
    case "reset-connection":
      return resetConnection();
    default:
      return undefined;
  }
}

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
import { describe, test } from "vitest";
import { type TestReply, type TestSituation, testProvider } from "./test-provider.ts";
import { WORLDS, type World } from "./testing/worlds.ts";

interface Subject extends Pick<World, "model" | "connect"> {
  readonly path: string;
  /** `windowTokens`: undefined for that of the model. */
  face(script: Script, windowTokens: number | undefined): HttpFace;
}

const subjects: Readonly<Record<string, Subject>> = {
  anthropic: {
    ...WORLDS.Anthropic,
    path: "/v1/messages",
    face(script, windowTokens) {
      const model = ANTHROPIC_MODELS.find(({ id }) => id === "claude-opus-5-5")!;
      return createAnthropic({ script, models: windowTokens === undefined ? [] : [{ ...model, windowTokens }] });
    },
  },
  "openai responses": {
    ...WORLDS["OpenAI Responses"],
    path: "/v1/responses",
    face: (script, windowTokens) => createOpenAiResponses({ script, models: gptWith(windowTokens) }),
  },
  "openai chat": {
    ...WORLDS["OpenAI Chat"],
    path: "/v1/chat/completions",
    face: (script, windowTokens) => createOpenAiChat({ script, models: gptWith(windowTokens) }),
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

import {
  ANTHROPIC_MODELS,
  bedrockModels,
  createAnthropic,
  createBedrock,
  createGemini,
  createOpenAiChat,
  createOpenAiResponses,
  geminiModels,
  type HttpFace,
  inSituation,
  type OpenAiModel,
  openAiModels,
  type Script,
  serve,
} from "@palimpsest/provider-simulator";
import { describe, test } from "vitest";
import { testProvider } from "./test-provider.ts";
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
  gemini: geminiSubject("gemini-4-argon"),
  // Its calls have neither ids nor signatures.
  "gemini 2.5": geminiSubject("gemini-2.5-pro"),
  bedrock: {
    ...WORLDS.Bedrock,
    path: "/model/us.anthropic.claude-opus-5-5/converse-stream",
    face(script, windowTokens) {
      const id = "anthropic.claude-opus-5-5";
      const small = { ...bedrockModels[id]!, windowTokens: windowTokens ?? 0 };
      return createBedrock({ script, models: windowTokens === undefined ? {} : { [id]: small } });
    },
  },
};

function geminiSubject(model: string): Subject {
  return {
    ...WORLDS.Gemini,
    model,
    path: `/v1beta/models/${model}:streamGenerateContent`,
    face(script, windowTokens) {
      const small = { ...geminiModels[model]!, maxInputTokens: windowTokens ?? 0 };
      return createGemini({ script, models: windowTokens === undefined ? {} : { [model]: small } });
    },
  };
}

function gptWith(windowTokens: number | undefined): Record<string, OpenAiModel> {
  const model = openAiModels["gpt-6-sol"]!;
  return windowTokens === undefined ? {} : { "gpt-6-sol": { ...model, windowTokens, maxInputTokens: windowTokens } };
}

describe.each(Object.entries(subjects))("%s", (_, { model, path, face, connect }) => {
  testProvider({
    test,
    async place(situation) {
      const server = await serve({
        faces: [face(inSituation(situation), situation.kind === "overflow" ? 10 : undefined)],
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

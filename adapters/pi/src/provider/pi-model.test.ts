import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { openAIResponsesApi } from "@earendil-works/pi-ai/api/openai-responses.lazy";
import * as simulator from "@palimpsest/provider-simulator";
import { testProvider } from "palimpsest/testing";
import { describe, expect, test } from "vitest";
import { CLAUDE, claude, GPT, gpt } from "../testing/models.ts";
import { piModel } from "./pi-model.ts";
import type { PiModel, PiStream } from "./wire.ts";

interface Subject {
  readonly model: string;
  readonly path: string;
  readonly stream: PiStream;
  create(url: string): PiModel;
  /** Creates a service. `small` has a window into which no request fits. */
  face(script: simulator.Script, size: "usual" | "small"): simulator.HttpFace;
}

const messages = simulator.ANTHROPIC_MODELS.find(({ id }) => id === CLAUDE)!;
const responses = simulator.openAiModels[GPT]!;
const subjects: Readonly<Record<string, Subject>> = {
  anthropic: {
    model: CLAUDE,
    path: "/v1/messages",
    stream: anthropicMessagesApi().streamSimple,
    create: claude,
    face: (script, size) =>
      simulator.createAnthropic({
        script,
        models: size === "small" ? [{ ...messages, windowTokens: 10 }] : [messages],
      }),
  },
  responses: {
    model: GPT,
    path: "/v1/responses",
    stream: openAIResponsesApi().streamSimple,
    create: gpt,
    face: (script, size) =>
      simulator.createOpenAiResponses({
        script,
        models: size === "small" ? { [GPT]: { ...responses, windowTokens: 10, maxInputTokens: 10 } } : {},
      }),
  },
};

describe.each(Object.entries(subjects))("%s through pi", (_, { model, path, stream, create, face }) => {
  testProvider({
    test,
    async place(situation) {
      const size = situation.kind === "overflow" ? "small" : "usual";
      const server = await simulator.serve({ faces: [face(simulator.inSituation(situation), size)] });
      const options = { apiKey: "none", reasoning: "low" as const };
      return {
        provider: piModel(stream, (id) => ({ ...create(server.url), id }), { options }),
        model,
        calls: () => server.recorder.exchanges.filter((exchange) => exchange.path === path).length,
        remove: () => server.close(),
      };
    },
  });
});

test("uses the facts of pi's model, and does not treat missing prices as free", () => {
  const model: PiModel = { ...claude("http://localhost", 20_000), id: "local" };
  const factsOf = (one: PiModel) => piModel(anthropicMessagesApi().streamSimple, one).factsOf("local");
  expect(factsOf(model)).toMatchObject({ windowTokens: 20_000, maxOutputTokens: 8_000 });
  expect(factsOf(model).prices).toBeUndefined();
  const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  expect(factsOf({ ...model, cost }).prices).toMatchObject({ input: 3, cacheWrite5m: 3.75 });
});

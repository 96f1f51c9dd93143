import { OpenAIChatCompletionsModel, OpenAIResponsesModel } from "@openai/agents";
import * as simulator from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import { testProvider } from "palimpsest/testing";
import { describe, test } from "vitest";
import { agentsModel } from "./agents-model.ts";
import type { AgentsModel } from "./wire.ts";

const MODEL = "gpt-5.2";

interface Subject {
  readonly path: string;
  face(options: { script: simulator.Script; models: Record<string, simulator.OpenAiModel> }): simulator.HttpFace;
  create(client: OpenAI, model: string): AgentsModel;
}

const subjects: Readonly<Record<string, Subject>> = {
  responses: {
    path: "/v1/responses",
    face: simulator.createOpenAiResponses,
    create: (client, model) => new OpenAIResponsesModel(client as never, model),
  },
  chat: {
    path: "/v1/chat/completions",
    face: simulator.createOpenAiChat,
    create: (client, model) => new OpenAIChatCompletionsModel(client as never, model),
  },
};

describe.each(Object.entries(subjects))("openai %s through the Agents SDK", (_, { path, face, create }) => {
  testProvider({
    test,
    async place(situation) {
      const facts = simulator.openAiModels[MODEL]!;
      const models: Record<string, typeof facts> =
        situation.kind === "overflow" ? { [MODEL]: { ...facts, windowTokens: 10, maxInputTokens: 10 } } : {};
      const server = await simulator.serve({ faces: [face({ script: simulator.inSituation(situation), models })] });
      // Only the Responses model lets a caller switch off the retries of its client.
      const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
      return {
        provider: agentsModel((id) => create(client, id)),
        model: MODEL,
        calls: () => server.recorder.exchanges.filter((exchange) => exchange.path === path).length,
        remove: () => server.close(),
      };
    },
  });
});

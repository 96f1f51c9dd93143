// The provider that calls models through opencode.

import type { ModelFacts, Provider } from "palimpsest";
import { knownModel, type ResponseContent, sendStream } from "palimpsest/provider-parts";
import { asCount, asObject, asString } from "palimpsest/schema";
import { readAnswer, readMessages } from "./read-messages.ts";
import { renderMessage } from "./render-message.ts";
import { OPENCODE, type OpencodeMessage, type OpencodePiece, type OpencodeRequest } from "./wire.ts";

export interface OpencodeProviderOptions {
  /** Makes one of the session's own calls, such as a summary. */
  ask(request: OpencodeRequest, signal: AbortSignal | undefined): Promise<OpencodeMessage>;
  /** Returns opencode's facts about a model. */
  facts(model: string): Partial<ModelFacts>;
}

/** Provider over the models of opencode, which makes all calls itself. */
export function opencodeProvider({
  ask,
  facts,
}: OpencodeProviderOptions): Provider<OpencodeRequest, OpencodeMessage, OpencodePiece> {
  const factsOf = (id: string): ModelFacts => ({ ...knownModel(id).facts, ...facts(id) });
  return {
    name: OPENCODE,
    cacheEffects: { parameters: {}, images: "messages" },
    factsOf,
    fetchFacts: async (id) => factsOf(id),
    renderMessage,
    renderRequest: ({ model, messages, maxTokens }) => ({ model, pieces: [...messages], maxTokens }),
    readResponse,
    readMessages,
    send: (request, { signal } = {}) =>
      sendStream({
        provider: OPENCODE,
        signal,
        collector: { add: () => [], whole: () => undefined },
        open: async () => ({ whole: await ask(request, signal) }),
      }),
    countTokens: async () => undefined,
  };
}

function readResponse(message: OpencodeMessage): ResponseContent {
  const { id, modelID, finish, tokens } = message.info;
  const { input, output, reasoning, cache } = asObject(tokens) ?? {};
  const { read, write } = asObject(cache) ?? {};
  const reasoningTokens = asCount(reasoning) ?? 0;
  return {
    responseId: asString(id) ?? "",
    model: asString(modelID) ?? "",
    blocks: readAnswer(message),
    stop: STOPS[asString(finish) ?? ""] ?? "other",
    usage: {
      freshTokens: asCount(input) ?? 0,
      cacheReadTokens: asCount(read) ?? 0,
      cacheWriteTokens: asCount(write) ?? 0,
      outputTokens: (asCount(output) ?? 0) + reasoningTokens,
      ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
    },
  };
}

const STOPS: Readonly<Record<string, ResponseContent["stop"]>> = {
  stop: "end",
  length: "length",
  "tool-calls": "tools",
};

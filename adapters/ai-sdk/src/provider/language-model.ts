// The provider that calls language models of the AI SDK.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { type Provider, ProviderError, withModels } from "palimpsest";
import {
  type CacheEffects,
  type ExtraModels,
  knownModel,
  type RequestParts,
  sendStream,
  toModelId,
} from "palimpsest/provider-parts";
import { present } from "palimpsest/schema";
import { createStreamCollector } from "./collect-stream.ts";
import { readMessages } from "./read-messages.ts";
import { readResponse } from "./read-response.ts";
import { renderMessage } from "./render-message.ts";
import { createRequestRenderer, usualMark } from "./render-request.ts";
import { toClientError } from "./to-client-error.ts";
import { AI_SDK, type AiSdkMessage, type AiSdkRequest, type AiSdkResponse } from "./wire.ts";

/** Options of a model of the AI SDK as a provider. */
export interface LanguageModelOptions {
  /** Facts of models by the start of their ids, for models that are not in the engine's table. @default {} */
  readonly models?: ExtraModels;
  /** Headers of every call. They are not logged. @default none */
  readonly headers?: () => LanguageModelV4CallOptions["headers"];
  /**
   * Options that mark the end of a section worth caching, for services that need marks. @default those of
   * `@ai-sdk/anthropic` and `@ai-sdk/amazon-bedrock`
   */
  readonly cacheMark?: (ttl: RequestParts<AiSdkMessage>["cacheTtl"]) => SharedV4ProviderOptions;
}

/**
 * Provider over language models of the AI SDK.
 * @param models one model, or a function that returns a model by its id, such as `anthropic` of `@ai-sdk/anthropic`. With a
 *   function, a session can change its model
 */
export function languageModel(
  models: LanguageModelV4 | ((id: string) => LanguageModelV4),
  { models: extra = {}, headers = () => undefined, cacheMark = usualMark }: LanguageModelOptions = {},
): Provider<AiSdkRequest, AiSdkResponse, AiSdkMessage> {
  const provider: Provider<AiSdkRequest, AiSdkResponse, AiSdkMessage> = {
    name: AI_SDK,
    cacheEffects: CACHE_EFFECTS,
    factsOf: (model) => knownModel(model).facts,
    fetchFacts: async (model) => knownModel(model).facts,
    renderMessage,
    renderRequest: createRequestRenderer({ cacheMark }),
    readResponse,
    readMessages,
    send: ({ model, ...call }, { signal } = {}) =>
      sendStream({
        provider: AI_SDK,
        signal,
        collector: createStreamCollector(),
        async open() {
          const found = findModel(models, model);
          const sent = { ...call, ...present({ abortSignal: signal, headers: headers() }) };
          return readParts(() => found.doStream(sent));
        },
      }),
    // The interface has no method to count tokens.
    countTokens: async () => undefined,
  };
  return withModels(provider, extra);
}

/** Call options that do not change the prompt. All other options may change it. */
const CACHE_EFFECTS: CacheEffects = {
  parameters: {
    temperature: "nothing",
    topP: "nothing",
    topK: "nothing",
    presencePenalty: "nothing",
    frequencyPenalty: "nothing",
    seed: "nothing",
    stopSequences: "nothing",
    includeRawChunks: "nothing",
    toolChoice: "tool-choice",
    reasoning: "thinking",
  },
  images: "messages",
};

function findModel(models: LanguageModelV4 | ((id: string) => LanguageModelV4), id: string): LanguageModelV4 {
  if (typeof models === "function") return models(toModelId(id));
  if (id === models.modelId) return models;
  const why = `this provider has one model, ${models.modelId}, and was asked for ${id}; pass a function that returns models by id`;
  throw new ProviderError(AI_SDK, { kind: "refused" }, why);
}

/** Resolves when the response begins. Converts errors of the SDK to the form of other clients. */
async function readParts(
  open: () => ReturnType<LanguageModelV4["doStream"]>,
): Promise<AsyncGenerator<LanguageModelV4StreamPart>> {
  try {
    const { stream } = await open();
    return partsOf(stream);
  } catch (error) {
    throw toClientError(error);
  }
}

async function* partsOf(stream: ReadableStream<LanguageModelV4StreamPart>): AsyncGenerator<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw toClientError(error);
  } finally {
    // A reader that stops early cancels the stream. A stream that failed has nothing to cancel.
    await reader.cancel().catch(() => {});
  }
}

// The provider that calls chat models of LangChain.

import { type Provider, ProviderError, withModels } from "palimpsest";
import { type CacheEffects, type ExtraModels, knownModel, sendStream, toModelId } from "palimpsest/provider-parts";
import { asCount, asString, type JsonObject } from "palimpsest/schema";
import { createChunkCollector } from "./collect-chunks.ts";
import { type ContentForm, toLiveMessages } from "./live-messages.ts";
import { readMessages } from "./read-messages.ts";
import { readResponse } from "./read-response.ts";
import { renderMessage } from "./render-message.ts";
import { type CacheMark, createRequestRenderer, usualMark } from "./render-request.ts";
import {
  type ChatModel,
  LANGCHAIN,
  type LangChainMessage,
  type LangChainRequest,
  type LangChainResponse,
  type Streamed,
} from "./wire.ts";

/** The tools and options of a call, in the form of the framework. */
export interface Binding {
  readonly tools: readonly object[];
  readonly settings: JsonObject;
}

/** Options of a chat model of LangChain as a provider. */
export interface ChatModelOptions {
  /** Facts of models by the start of their ids, for models that are not in the engine's table. @default {} */
  readonly models?: ExtraModels;
  /** Fields that mark the end of a section worth caching, for models that need marks. @default those of `ChatAnthropic` */
  readonly cacheMark?: CacheMark;
  /**
   * Returns the tools and options to send in place of the request's, so that they equal those of the agent's own calls.
   * @default the request's
   */
  readonly binding?: () => Binding | undefined;
}

/**
 * Provider over chat models of LangChain.
 * @param models one model, or a function that returns a model by its id. With a function, a session can change its model
 */
export function chatModel(
  models: ChatModel | ((id: string) => ChatModel),
  { models: extra = {}, cacheMark = usualMark, binding = () => undefined }: ChatModelOptions = {},
): Provider<LangChainRequest, LangChainResponse, LangChainMessage> {
  const findModel = (id: string): ChatModel => (typeof models === "function" ? models(toModelId(id)) : models);
  const factsOf = (id: string) => {
    const { facts } = knownModel(id);
    const limit = outputLimitOf(findModel(id)) ?? facts.maxOutputTokens;
    return { ...facts, maxOutputTokens: Math.min(facts.maxOutputTokens, limit) };
  };
  const provider: Provider<LangChainRequest, LangChainResponse, LangChainMessage> = {
    name: LANGCHAIN,
    cacheEffects: CACHE_EFFECTS,
    factsOf,
    fetchFacts: async (id) => factsOf(id),
    renderMessage,
    renderRequest: createRequestRenderer({ findModel, cacheMark }),
    readResponse,
    readMessages,
    send: (request, { signal } = {}) =>
      sendStream({
        provider: LANGCHAIN,
        signal,
        collector: createChunkCollector(request.model),
        async open() {
          signal?.throwIfAborted();
          const model = findModel(request.model);
          if (typeof models !== "function") checkModel(model, request.model);
          const { tools, settings } = withoutForce(binding()) ?? request;
          const { system, messages } = request;
          const live = toLiveMessages(
            system === undefined ? messages : [system, ...messages],
            formOf(model, cacheMark),
          );
          // Without callbacks, because the agent must not stream a summary to its user.
          const options = { callbacks: [], tags: ["langsmith:nostream"], ...(signal && { signal }) };
          return bind(model, tools, settings).stream(live, options);
        },
      }),
    // The interface can only estimate.
    countTokens: async () => undefined,
  };
  return withModels(provider, extra);
}

/** Any option may change the prompt, because models have options that this package does not know. */
const CACHE_EFFECTS: CacheEffects = { parameters: {}, images: "messages" };

/** Returns the model id of a chat model. */
export function modelIdOf(model: ChatModel): string {
  const { model: id, modelName, modelId } = model as unknown as JsonObject;
  return asString(id) ?? asString(modelName) ?? asString(modelId) ?? model.getName();
}

/** Returns the form of messages for a model. If the model needs cache marks, content is a list of parts that can carry marks. */
export function formOf(model: ChatModel, cacheMark: CacheMark): ContentForm {
  return cacheMark(model, "5m") === undefined ? "shortest" : "parts";
}

/** Returns the output limit of a model. The framework sets it per model, not per call. */
function outputLimitOf(model: ChatModel): number | undefined {
  const limit = asCount((model as unknown as JsonObject)["maxTokens"]);
  return limit === 0 ? undefined : limit;
}

/** Removes the options that force another kind of answer, because the session's own calls need text. */
function withoutForce(binding: Binding | undefined): Binding | undefined {
  if (binding === undefined) return undefined;
  const settings = Object.entries(binding.settings).filter(([name]) => !SHAPING.includes(name));
  return { tools: binding.tools, settings: Object.fromEntries(settings) };
}

/** The options that force a tool call or an answer in JSON. */
const SHAPING: readonly string[] = ["tool_choice", "response_format", "outputConfig", "responseSchema"];

function bind(model: ChatModel, tools: readonly object[], settings: JsonObject): Streamed {
  const isBare = tools.length === 0 && Object.keys(settings).length === 0;
  return isBare || model.bindTools === undefined ? model : model.bindTools([...tools], settings);
}

function checkModel(model: ChatModel, id: string): void {
  if (modelIdOf(model) === id) return;
  const why = `this provider has one model, ${modelIdOf(model)}, and was asked for ${id}; pass a function that returns models by id`;
  throw new ProviderError(LANGCHAIN, { kind: "refused" }, why);
}

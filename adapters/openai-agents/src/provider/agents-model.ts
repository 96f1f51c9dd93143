// The provider that calls models of the OpenAI Agents SDK.

import { type ModelRequest, type ModelSettings, OpenAIResponsesModel } from "@openai/agents";
import { type Provider, withModels } from "palimpsest";
import {
  type CacheEffects,
  type ExtraModels,
  knownModel,
  rememberTools,
  sendStream,
  toModelId,
} from "palimpsest/provider-parts";
import { asList, asObject } from "palimpsest/schema";
import { createEventCollector } from "./collect-events.ts";
import { readMessages } from "./read-items.ts";
import { readResponse } from "./read-response.ts";
import { renderMessage } from "./render-items.ts";
import {
  AGENTS,
  type AgentsBinding,
  type AgentsItem,
  type AgentsModel,
  type AgentsRequest,
  type AgentsResponse,
} from "./wire.ts";

/** Options of a model of the Agents SDK as a provider. */
export interface AgentsModelOptions {
  /** Facts of models by the start of their ids, for models that are not in the engine's table. @default {} */
  readonly models?: ExtraModels;
  /**
   * Returns the tools and settings to send in place of the request's, so that they equal those of the agent's own calls.
   * @default the request's
   */
  readonly binding?: () => AgentsBinding | undefined;
}

/**
 * Provider over models of the OpenAI Agents SDK.
 * @param models one model, or a function that returns a model by its id, such as `getModel` of a `ModelProvider`. With a
 *   function, a session can change its model
 */
export function agentsModel(
  models: AgentsModel | ((id: string) => AgentsModel | Promise<AgentsModel>),
  { models: extra = {}, binding = () => undefined }: AgentsModelOptions = {},
): Provider<AgentsRequest, AgentsResponse, AgentsItem> {
  const toolsOf = rememberTools(({ name, description = "", inputSchema }) => ({
    type: "function",
    name,
    description,
    parameters: { type: "object", ...inputSchema },
    strict: false,
  }));
  const provider: Provider<AgentsRequest, AgentsResponse, AgentsItem> = {
    name: AGENTS,
    cacheEffects: CACHE_EFFECTS,
    factsOf: (id) => knownModel(id).facts,
    fetchFacts: async (id) => knownModel(id).facts,
    renderMessage,
    renderRequest: ({ model, system, tools, parameters, messages, maxTokens, session }) => ({
      model,
      ...(system === "" ? {} : { systemInstructions: system }),
      input: [...messages],
      tools: toolsOf(tools, parameters),
      settings: asObject(parameters["settings"]) ?? {},
      maxTokens: Math.max(MINIMUM_OUTPUT_TOKENS, maxTokens),
      cacheKey: session.slice(-MAXIMUM_CACHE_KEY_LENGTH),
    }),
    readResponse,
    readMessages,
    send: (request, { signal } = {}) =>
      sendStream({
        provider: AGENTS,
        signal,
        collector: createEventCollector(request.model),
        async open() {
          signal?.throwIfAborted();
          const model = typeof models === "function" ? await models(toModelId(request.model)) : models;
          return waitForStart(model.getStreamedResponse(toModelRequest(request, model, binding(), signal)));
        },
      }),
    // The interface has no method to count tokens.
    countTokens: async () => undefined,
  };
  return withModels(provider, extra);
}

/** Any setting may change the prompt, because models have settings that this package does not know. */
const CACHE_EFFECTS: CacheEffects = { parameters: {}, images: "messages" };
const MINIMUM_OUTPUT_TOKENS = 16;
const MAXIMUM_CACHE_KEY_LENGTH = 64;
/** Asks for reasoning in encrypted form, so that the service need not store it. */
const SEALED_REASONING = "reasoning.encrypted_content";

/** Resolves when the response begins. An earlier error is an error of the call, not of the stream. */
async function waitForStart<Event>(events: AsyncIterable<Event>): Promise<AsyncGenerator<Event>> {
  const iterator = events[Symbol.asyncIterator]();
  let next = await iterator.next();
  async function* all(): AsyncGenerator<Event> {
    try {
      for (; next.done !== true; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return all();
}

/**
 * Returns the settings of a call that has its whole conversation, with the output limit. The Responses API also gets a cache key
 * and, if the model reasons and the caller sets nothing else, reasoning that is sent back instead of stored. Other models get a
 * limit only if the caller sets one, because the SDK sends it under a name that newer chat models refuse.
 */
export function toSentSettings(
  settings: ModelSettings,
  { maxTokens, cacheKey }: Pick<AgentsRequest, "maxTokens" | "cacheKey">,
  model: AgentsModel,
): ModelSettings {
  const limit = Math.min(settings.maxTokens ?? maxTokens, maxTokens);
  if (!(model instanceof OpenAIResponsesModel)) {
    return settings.maxTokens === undefined ? settings : { ...settings, maxTokens: limit };
  }
  const { providerData = {} } = settings;
  const isSealed = settings.reasoning !== undefined && settings.store === undefined;
  const include = [...new Set([...(asList(providerData["include"]) ?? []), SEALED_REASONING])];
  return {
    ...settings,
    maxTokens: limit,
    ...(isSealed ? { store: false } : {}),
    providerData: { prompt_cache_key: cacheKey, ...providerData, ...(isSealed ? { include } : {}) },
  };
}

/** Renders a call of the session itself: the answer is text, and the SDK neither traces nor retries the call. */
function toModelRequest(
  { systemInstructions, input, tools, settings, maxTokens, cacheKey }: AgentsRequest,
  model: AgentsModel,
  binding: AgentsBinding | undefined,
  signal: AbortSignal | undefined,
): ModelRequest {
  const { toolChoice: _, retry: __, ...modelSettings } = binding?.modelSettings ?? (settings as ModelSettings);
  const request = {
    ...(systemInstructions === undefined ? {} : { systemInstructions }),
    input: [...input],
    modelSettings: toSentSettings(modelSettings, { maxTokens, cacheKey }, model),
    tools: binding?.tools ?? ([...tools] as ModelRequest["tools"]),
    handoffs: binding?.handoffs ?? [],
    outputType: "text",
    tracing: false,
    ...(signal && { signal }),
    _internal: { runnerManagedRetry: true },
  };
  return request as ModelRequest;
}

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
  /** Facts of models by the start of their ids, for models that are in no table. @default {} */
  readonly models?: ExtraModels;
  /** Tools and settings instead of those of a request: an agent's own are sent as its calls send them. @default the request's */
  readonly binding?: () => AgentsBinding | undefined;
}

/** Only settings that are known to change no prompt could be named here: models have their own. */
const CACHE_EFFECTS: CacheEffects = { parameters: {}, images: "messages" };
const MINIMUM_OUTPUT_TOKENS = 16;
const MAXIMUM_CACHE_KEY_LENGTH = 64;
/** What makes reasoning complete in itself, so that the service need not store it. */
const SEALED_REASONING = "reasoning.encrypted_content";

/**
 * Provider over models of the OpenAI Agents SDK.
 * @param models one model, or a function that returns the model with an id, such as `getModel` of a `ModelProvider`: a session can
 *   then change its model
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
          return begun(model.getStreamedResponse(toModelRequest(request, model, binding(), signal)));
        },
      }),
    // The interface has no way to ask for it.
    countTokens: async () => undefined,
  };
  return withModels(provider, extra);
}

/** Resolves when the response begins: until then an error is that of the call, and not of its stream. */
async function begun<Event>(events: AsyncIterable<Event>): Promise<AsyncGenerator<Event>> {
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
 * Settings of a call that carries its whole conversation: no more output than there is room for. With the Responses API also a key
 * for the cache, and, where the model reasons and the caller has not said otherwise, reasoning that is sent back instead of stored.
 * Other models get a limit only where the caller has set one: the SDK sends it under a name that newer chat models refuse.
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

/** A call of a session's own: answered as a text, not traced, and not tried again behind the session's back. */
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

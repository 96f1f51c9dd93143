// The provider that calls models of pi.

import { type AssistantMessageEvent, normalizeContext, type TranscriptContext } from "@earendil-works/pi-ai";
import { type ModelFacts, type Provider, withModels } from "palimpsest";
import {
  type CacheEffects,
  type ExtraModels,
  knownModel,
  rememberTools,
  sendStream,
  toModelId,
} from "palimpsest/provider-parts";
import { asObject } from "palimpsest/schema";
import { createEventCollector } from "./collect-events.ts";
import { watchFailures } from "./failures.ts";
import { readMessages } from "./read-messages.ts";
import { readResponse } from "./read-response.ts";
import { renderMessage } from "./render-message.ts";
import {
  PI,
  type PiBinding,
  type PiMessage,
  type PiModel,
  type PiOptions,
  type PiRequest,
  type PiResponse,
  type PiStream,
  type PiTool,
} from "./wire.ts";

/** Options of a model of pi as a provider. */
export interface PiModelOptions {
  /** Facts of models by the start of their ids. They win over the facts of pi's models. @default {} */
  readonly models?: ExtraModels;
  /** Options of every call, such as `apiKey` and `reasoning`. @default {} */
  readonly options?: PiOptions;
  /**
   * Returns the tools and options to send in place of the request's, so that they equal those of the agent's own calls.
   * @default the request's
   */
  readonly binding?: () => PiBinding | undefined;
}

/**
 * Provider over models of pi.
 * @param stream the function that calls models, such as `models.streamSimple` of pi
 * @param models one model, or a function that returns a model by its id. With a function, a session can change its model
 */
export function piModel(
  stream: PiStream,
  models: PiModel | ((id: string) => PiModel),
  { models: extra = {}, options = {}, binding = () => undefined }: PiModelOptions = {},
): Provider<PiRequest, PiResponse, PiMessage> {
  const findModel = (id: string): PiModel => (typeof models === "function" ? models(toModelId(id)) : models);
  const toolsOf = rememberTools(({ name, description = "", inputSchema }) => ({
    name,
    description,
    parameters: { type: "object", ...inputSchema },
  }));
  const provider: Provider<PiRequest, PiResponse, PiMessage> = {
    name: PI,
    cacheEffects: CACHE_EFFECTS,
    factsOf: (id) => factsOf(findModel(id)),
    fetchFacts: async (id) => factsOf(findModel(id)),
    renderMessage,
    renderRequest: ({ model, system, tools, parameters, messages, maxTokens, session }) => ({
      model,
      system,
      messages: withToolNames(messages),
      tools: toolsOf(tools, parameters) as readonly PiTool[],
      settings: asObject(parameters["settings"]) ?? {},
      maxTokens,
      session,
    }),
    readResponse,
    readMessages,
    send(request, { signal } = {}) {
      const model = { ...findModel(request.model), id: toModelId(request.model) };
      const own = binding();
      const callOptions = { ...options, ...(own?.options ?? (request.settings as PiOptions)) };
      const watch = watchFailures(model, callOptions.fetch);
      const { onResponse: _, toolChoice: __, ...kept } = callOptions;
      return sendStream({
        provider: PI,
        signal,
        collector: createEventCollector(watch.toError),
        async open() {
          signal?.throwIfAborted();
          const { maxTokens, session: sessionId } = request;
          const call = { sessionId, ...kept, ...watch.options, maxTokens, maxRetries: 0, ...(signal && { signal }) };
          return waitForStart(
            await stream(model, toContext(request, own?.tools ?? request.tools), call),
            watch.toError,
          );
        },
      });
    },
    // The interface has no method to count tokens.
    countTokens: async () => undefined,
  };
  return withModels(provider, extra);
}

/** Any option may change the prompt, because models have options that this package does not know. */
const CACHE_EFFECTS: CacheEffects = { parameters: {}, images: "messages" };

/** Builds the transcript to send. It begins with one system message, which has the tools. */
export function toContext({ system, messages }: PiRequest, tools: readonly PiTool[]): TranscriptContext {
  return normalizeContext({ systemPrompt: system, tools: [...tools], messages: [...messages] });
}

/** Reads the window and the prices of a model. If all prices are 0, nobody has entered them. */
function factsOf({ id, contextWindow, maxTokens, cost }: PiModel): ModelFacts {
  const { facts } = knownModel(id);
  const prices = { ...cost, cacheWrite5m: cost.cacheWrite, cacheWrite1h: cost.cacheWrite };
  return {
    ...(cost.input + cost.output === 0 ? {} : { prices }),
    ...facts,
    ...(contextWindow > 0 ? { windowTokens: contextWindow, maxInputTokens: contextWindow } : {}),
    ...(maxTokens > 0 ? { maxOutputTokens: maxTokens } : {}),
  };
}

/** Adds the names of tools to results, because some services need them. */
function withToolNames(messages: readonly PiMessage[]): readonly PiMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      for (const part of message.content) if (part.type === "toolCall") names.set(part.id, part.name);
    }
    return message.role === "toolResult" ? { ...message, toolName: names.get(message.toolCallId) ?? "" } : message;
  });
}

/** Resolves when the answer begins. An earlier error is an error of the call, not of the stream. */
async function waitForStart(
  events: AsyncIterable<AssistantMessageEvent>,
  toError: (failed: PiResponse) => Error,
): Promise<AsyncIterable<AssistantMessageEvent>> {
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done !== true && first.value.type === "error") throw toError(first.value.error);
  return {
    async *[Symbol.asyncIterator]() {
      for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
    },
  };
}

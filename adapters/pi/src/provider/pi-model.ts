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
  /** Facts of models by the start of their ids. They win over those that pi's models have. @default {} */
  readonly models?: ExtraModels;
  /** Options of every call, such as `apiKey` and `reasoning`. @default {} */
  readonly options?: PiOptions;
  /** Tools and options instead of those of a request: an agent's own are sent as its calls send them. @default the request's */
  readonly binding?: () => PiBinding | undefined;
}

/** Only options that are known to change no prompt could be named here: models have their own. */
const CACHE_EFFECTS: CacheEffects = { parameters: {}, images: "messages" };

/**
 * Provider over models of pi.
 * @param stream what calls them, such as `models.streamSimple` of pi
 * @param models one model, or a function that returns the model with an id: a session can then change its model
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
      const given = { ...options, ...(own?.options ?? (request.settings as PiOptions)) };
      const watch = watchFailures(model, given.fetch);
      const { onResponse: _, toolChoice: __, ...kept } = given;
      return sendStream({
        provider: PI,
        signal,
        collector: createEventCollector(watch.toError),
        async open() {
          signal?.throwIfAborted();
          const { maxTokens, session: sessionId } = request;
          const call = { sessionId, ...kept, ...watch.options, maxTokens, maxRetries: 0, ...(signal && { signal }) };
          return begun(await stream(model, toContext(request, own?.tools ?? request.tools), call), watch.toError);
        },
      });
    },
    // The interface has no way to ask for it.
    countTokens: async () => undefined,
  };
  return withModels(provider, extra);
}

/** The transcript that is sent: one message of the system, with the tools, leads it. */
export function toContext({ system, messages }: PiRequest, tools: readonly PiTool[]): TranscriptContext {
  return normalizeContext({ systemPrompt: system, tools: [...tools], messages: [...messages] });
}

/** pi knows the window of its models, and what they cost. Where all is free, nobody has entered the prices. */
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

/** Results with the names of their tools, which some services ask for. */
function withToolNames(messages: readonly PiMessage[]): readonly PiMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      for (const part of message.content) if (part.type === "toolCall") names.set(part.id, part.name);
    }
    return message.role === "toolResult" ? { ...message, toolName: names.get(message.toolCallId) ?? "" } : message;
  });
}

/** Resolves when the answer begins: until then an error is that of the call, and not of its stream. */
async function begun(
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

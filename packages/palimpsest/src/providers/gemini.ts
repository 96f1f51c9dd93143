import type { GenerateContentResponse, GoogleGenAI } from "@google/genai";
import { anObject, checkArgument } from "../schema/check-options.ts";
import { requestTokenCount } from "./count-tokens.ts";
import {
  GEMINI,
  GEMINI_CACHE_EFFECTS,
  GEMINI_MODELS,
  GEMINI_REQUEST_BYTES,
  type GeminiMessage,
  type GeminiRequest,
  type GeminiResponse,
  toClientError,
} from "./gemini/facts.ts";
import { readMessages, readResponse } from "./gemini/read.ts";
import { createRequestRenderer, renderMessage } from "./gemini/render.ts";
import { createStreamCollector } from "./gemini/stream.ts";
import { type ExtraModels, findFacts, type ModelFacts, toModelId } from "./models.ts";
import type { Provider, SendOptions, StreamPart } from "./provider.ts";
import { sendStream } from "./stream.ts";

export type { GeminiMessage, GeminiRequest, GeminiResponse } from "./gemini/facts.ts";

/**
 * Provider for Gemini, through the caller's own client of `@google/genai`. Parameters are the fields of `config`. The
 * service caches prompts automatically; cached contents (`cachedContent`) are not used, because the service does not
 * combine them with a system prompt and tools.
 */
export function gemini(
  client: GeminiClient,
  { models = {} }: GeminiOptions = {},
): Provider<GeminiRequest, GeminiResponse, GeminiMessage> {
  checkArgument("gemini(client)", client, anObject("a client of @google/genai: new GoogleGenAI({ apiKey })"));
  const sources = { table: GEMINI_MODELS, extra: models, all: { maxRequestBytes: GEMINI_REQUEST_BYTES } };
  return {
    name: GEMINI,
    cacheEffects: GEMINI_CACHE_EFFECTS,
    factsOf: (model) => findFacts(model, sources),
    fetchFacts: async (model) => findFacts(model, { ...sources, fetched: await fetchLimits(client, model) }),
    renderMessage,
    renderRequest: createRequestRenderer(),
    readResponse,
    readMessages,
    send: (request, options) => send(client, request, options),
    countTokens: (request, options) => countTokens(client, request, options),
  };
}

/** The parts of the client that this provider uses. */
export interface GeminiClient {
  readonly models: Pick<GoogleGenAI["models"], "generateContentStream"> &
    Partial<Pick<GoogleGenAI["models"], "countTokens" | "get">>;
  /** Whether the client calls the Agent Platform (Vertex AI). @default the Developer API */
  readonly vertexai?: boolean;
}

/** Options of the provider for Gemini. */
export interface GeminiOptions {
  /** Facts about models, by the start of their ids; these win over the table. @default {} */
  readonly models?: ExtraModels;
}

/** Reads the limits of a model from the models endpoint; empty if the endpoint fails. */
async function fetchLimits(client: GeminiClient, model: string): Promise<Partial<ModelFacts>> {
  try {
    const found = await client.models.get?.({ model: toModelId(model) });
    const { inputTokenLimit: windowTokens, outputTokenLimit: maxOutputTokens } = found ?? {};
    return { ...(windowTokens ? { windowTokens } : {}), ...(maxOutputTokens ? { maxOutputTokens } : {}) };
  } catch {
    return {};
  }
}

function send(
  client: GeminiClient,
  request: GeminiRequest,
  { signal }: SendOptions = {},
): AsyncGenerator<StreamPart, GeminiResponse> {
  return sendStream({
    provider: GEMINI,
    signal,
    collector: createStreamCollector(),
    async open() {
      signal?.throwIfAborted();
      const config = { ...request.config, ...configOf(signal) };
      try {
        return chunksOf(await client.models.generateContentStream({ ...request, config }));
      } catch (error) {
        throw toClientError(error);
      }
    },
  });
}

async function* chunksOf(stream: AsyncGenerator<GenerateContentResponse>): AsyncGenerator<GenerateContentResponse> {
  try {
    yield* stream;
  } catch (error) {
    throw toClientError(error);
  }
}

/** Turns off the client's own retries, function calls and continuations, because Palimpsest does all three. */
function configOf(signal: AbortSignal | undefined): object {
  return {
    automaticFunctionCalling: { disable: true },
    automaticContinuation: false,
    httpOptions: { retryOptions: { attempts: 1 } },
    abortSignal: signal,
  };
}

/**
 * Counts tokens. For the Developer API the client counts only contents, so requests with more than contents are not
 * counted.
 */
async function countTokens(
  client: GeminiClient,
  { model, contents, config }: GeminiRequest,
  { signal }: SendOptions = {},
): Promise<number | undefined> {
  const { systemInstruction, tools } = config;
  const hasMore = systemInstruction !== undefined || tools !== undefined;
  if (hasMore && client.vertexai !== true) return undefined;
  const counted = hasMore ? { systemInstruction, tools } : {};
  return requestTokenCount({ provider: GEMINI, signal }, async () => {
    try {
      const request = { model, contents, config: { ...counted, ...(signal && { abortSignal: signal }) } as object };
      const { totalTokens } = (await client.models.countTokens?.(request)) ?? {};
      return totalTokens === undefined ? undefined : { input_tokens: totalTokens };
    } catch (error) {
      throw toClientError(error);
    }
  });
}

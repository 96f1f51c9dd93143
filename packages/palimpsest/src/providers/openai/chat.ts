import type OpenAI from "openai";
import { anObject, checkArgument } from "../../schema/check-options.ts";
import { asCount, asObject, type JsonObject } from "../../schema/json-fields.ts";
import { type ExtraModels, findFacts, type ModelFacts, toModelId } from "../models.ts";
import type { Provider, SendOptions, StreamPart } from "../provider.ts";
import { callOptions, sendStream } from "../stream.ts";
import { readMessages, readResponse } from "./chat/read.ts";
import { createRequestRenderer, renderMessage } from "./chat/render.ts";
import { createStreamCollector } from "./chat/stream.ts";
import {
  type ChatMessage,
  type ChatRequest,
  type ChatResponse,
  OPENAI_CACHE_EFFECTS,
  OPENAI_CHAT,
  OPENAI_MODELS,
  OPENAI_REQUEST_BYTES,
} from "./facts.ts";

/** Provider for Chat Completions, of OpenAI or any compatible server, through the caller's own client. */
export function openaiChat(
  client: ChatClient,
  { models = {}, dialect = "openai", systemRole = "system", thinking = "left-out" }: ChatOptions = {},
): Provider<ChatRequest, ChatResponse, ChatMessage> {
  checkArgument("openaiChat(client)", client, anObject("a client of openai: new OpenAI()"));
  const sources = { table: OPENAI_MODELS, extra: models, all: { maxRequestBytes: OPENAI_REQUEST_BYTES } };
  return {
    name: OPENAI_CHAT,
    cacheEffects: OPENAI_CACHE_EFFECTS,
    factsOf: (model) => findFacts(model, sources),
    fetchFacts: async (model) => findFacts(model, { ...sources, fetched: await fetchWindow(client, model) }),
    renderMessage: (message) => renderMessage(message, { thinking }),
    renderRequest: createRequestRenderer({ dialect, systemRole }),
    readResponse,
    readMessages,
    send: (request, options) => send(client, request, options),
    countTokens: async () => undefined,
  };
}

/** The parts of the client that this provider uses. */
export type ChatClient = Pick<OpenAI, "chat" | "models">;

/** Options of the provider for Chat Completions, of OpenAI or a compatible server. */
export interface ChatOptions {
  /** Facts about models, by the start of their ids; these win over the table. @default {} */
  readonly models?: ExtraModels;
  /**
   * `compatible`: the output limit is named `max_tokens`, and fields that only OpenAI knows are not sent. @default
   * "openai"
   */
  readonly dialect?: "openai" | "compatible";
  /** Role of the system prompt. @default "system" */
  readonly systemRole?: "system" | "developer";
  /**
   * `sent-back`: requests return the server's reasoning as `reasoning_content`. Some servers require the field during a
   * turn, others refuse it. @default "left-out"
   */
  readonly thinking?: "left-out" | "sent-back";
}

async function fetchWindow(client: ChatClient, model: string): Promise<Partial<ModelFacts>> {
  const windowTokens = windowIn(await describeModel(client, toModelId(model)));
  return windowTokens === undefined ? {} : { windowTokens };
}

/** Returns the first description of the model with a window, from its own page or from the list of models. */
async function describeModel(client: ChatClient, id: string): Promise<JsonObject | undefined> {
  try {
    const found = asObject(await client.models.retrieve(id, callOptions(undefined)));
    if (windowIn(found) !== undefined) return found;
  } catch {
    // Some servers describe models only in their list.
  }
  try {
    const listed = await client.models.list(callOptions(undefined));
    return asObject(listed.data.find((one) => one.id === id));
  } catch {
    return undefined;
  }
}

function windowIn(described: JsonObject | undefined): number | undefined {
  return WINDOW_FIELDS.map((field) => asCount(described?.[field])).find((tokens) => tokens);
}

/** Fields in which compatible servers report a model's window: vLLM, OpenRouter, Groq, LM Studio. */
const WINDOW_FIELDS = ["max_model_len", "context_length", "context_window", "max_context_length"];

function send(
  client: ChatClient,
  request: ChatRequest,
  { signal }: SendOptions = {},
): AsyncGenerator<StreamPart, ChatResponse> {
  return sendStream({
    provider: OPENAI_CHAT,
    signal,
    collector: createStreamCollector(),
    async open() {
      // `null` in the parameters omits the field: some servers refuse it and report usage anyway.
      const { stream_options: streamOptions = { include_usage: true }, ...rest } = request;
      const body = {
        ...rest,
        stream: true,
        ...(streamOptions === null ? {} : { stream_options: streamOptions }),
      } as const;
      const { data, response } = await client.chat.completions.create(body, callOptions(signal)).withResponse();
      const isWhole = response.headers.get("content-type")?.includes("application/json") ?? false;
      return isWhole ? { whole: readWhole(await response.json()) } : data;
    },
  });
}

/** Reads an answer in one JSON document: some servers ignore `stream`, and some return an error with HTTP 200. */
function readWhole(body: unknown): ChatResponse {
  const { error } = asObject(body) ?? {};
  if (error === undefined || error === null) return body as ChatResponse;
  throw Object.assign(new Error(`the server answered with an error: ${JSON.stringify(error)}`), { error });
}

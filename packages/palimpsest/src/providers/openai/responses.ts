import type OpenAI from "openai";
import { anObject, checkArgument } from "../../schema/check-options.ts";
import { pickFields, requestTokenCount } from "../count-tokens.ts";
import { type ExtraModels, findFacts, type ModelFacts, toModelId } from "../models.ts";
import type { Provider, SendOptions, StreamPart } from "../provider.ts";
import { callOptions, sendStream } from "../stream.ts";
import {
  OPENAI_CACHE_EFFECTS,
  OPENAI_MODELS,
  OPENAI_REQUEST_BYTES,
  OPENAI_RESPONSES,
  type ResponsesItem,
  type ResponsesRequest,
  type ResponsesResponse,
} from "./facts.ts";
import { readMessages, readResponse } from "./responses/read.ts";
import { createRequestRenderer, renderCompaction, renderMessage } from "./responses/render.ts";
import { createStreamCollector } from "./responses/stream.ts";

/** Provider for the Responses API, through the caller's own client. Requests tell the service to store nothing. */
export function openaiResponses(
  client: ResponsesClient,
  { models = {}, cacheDiagnostics = "asked" }: ResponsesOptions = {},
): Provider<ResponsesRequest, ResponsesResponse, ResponsesItem> {
  checkArgument("openaiResponses(client)", client, anObject("a client of openai: new OpenAI()"));
  const factsOf = (model: string): ModelFacts =>
    findFacts(model, { table: OPENAI_MODELS, extra: models, all: { maxRequestBytes: OPENAI_REQUEST_BYTES } });
  return {
    name: OPENAI_RESPONSES,
    cacheEffects: OPENAI_CACHE_EFFECTS,
    toolSearch: (model) => (SEARCHES_TOOLS.test(toModelId(model)) ? "native" : "own"),
    factsOf,
    // The models endpoint reports no limits.
    fetchFacts: async (model) => factsOf(model),
    renderMessage,
    renderRequest: createRequestRenderer({ cacheDiagnostics }),
    renderCompaction,
    readResponse,
    readMessages,
    send: (request, options) => send(client, request, options),
    countTokens: (request, options) => countTokens(client, request, options),
  };
}

/** The part of the client that this provider uses. */
export type ResponsesClient = Pick<OpenAI, "responses">;

/** Options of the provider for the Responses API. */
export interface ResponsesOptions {
  /** Facts about models, by the start of their ids; these win over the table. @default {} */
  readonly models?: ExtraModels;
  /**
   * Whether requests ask the service for the cause of cache misses, with models that support it (GPT-5.6 and later).
   * @default "asked"
   */
  readonly cacheDiagnostics?: "asked" | "off";
}

/** Models with tool search: "Only gpt-5.4 and later models support tool_search." */
const SEARCHES_TOOLS = /^gpt-(?:5\.[4-9]|[6-9])/;

function send(
  client: ResponsesClient,
  request: ResponsesRequest,
  { signal }: SendOptions = {},
): AsyncGenerator<StreamPart, ResponsesResponse> {
  return sendStream({
    provider: OPENAI_RESPONSES,
    signal,
    collector: createStreamCollector(),
    open: async () => client.responses.create({ ...request, stream: true }, callOptions(signal)),
  });
}

function countTokens(
  client: ResponsesClient,
  request: ResponsesRequest,
  { signal }: SendOptions = {},
): Promise<number | undefined> {
  const body = pickFields(request, COUNTED_FIELDS);
  // Version 5 of the client and the first releases of version 6 do not have this resource.
  const counting = client.responses.inputTokens as ResponsesClient["responses"]["inputTokens"] | undefined;
  return requestTokenCount({ provider: OPENAI_RESPONSES, signal }, async () =>
    counting?.count(body, callOptions(signal)),
  );
}

/** The fields that the counting endpoint accepts. */
const COUNTED_FIELDS: readonly string[] = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning",
  "text",
  "truncation",
];

import type Anthropic from "@anthropic-ai/sdk";
import { anObject, checkArgument } from "../schema/check-options.ts";
import {
  ANTHROPIC,
  ANTHROPIC_CACHE_EFFECTS,
  ANTHROPIC_MODELS,
  ANTHROPIC_REQUEST_BYTES,
  type AnthropicMessage,
  type AnthropicRequest,
  type AnthropicResponse,
} from "./anthropic/facts.ts";
import { readMessages, readResponse } from "./anthropic/read.ts";
import { createRequestRenderer, renderCompaction, renderMessage, renderPing, takesEdits } from "./anthropic/render.ts";
import { createStreamCollector } from "./anthropic/stream.ts";
import { pickFields, requestTokenCount } from "./count-tokens.ts";
import { type ExtraModels, findFacts, type ModelFacts, toModelId } from "./models.ts";
import type { Provider, SendOptions, StreamPart } from "./provider.ts";
import { callOptions, sendStream } from "./stream.ts";

export type { AnthropicMessage, AnthropicRequest, AnthropicResponse } from "./anthropic/facts.ts";

/** Provider for the Messages API, through the caller's own client. */
export function anthropic(
  client: AnthropicClient,
  options: AnthropicOptions = {},
): Provider<AnthropicRequest, AnthropicResponse, AnthropicMessage> {
  checkArgument("anthropic(client)", client, anObject("a client of @anthropic-ai/sdk: new Anthropic()"));
  const { models = {}, edits = "off", cacheDiagnostics = client.models === undefined ? "off" : "asked" } = options;
  const sources = { table: ANTHROPIC_MODELS, extra: models, all: { maxRequestBytes: ANTHROPIC_REQUEST_BYTES } };
  return {
    name: ANTHROPIC,
    cacheEffects: ANTHROPIC_CACHE_EFFECTS,
    takesEdits: (parameters) => (edits === "asked" ? takesEdits(parameters) : "no"),
    // Other hosts do not document deferred tools, and models before Claude 4 do not accept them.
    toolSearch: (model) => (client.models === undefined || /claude-(?:[123]|instant)/.test(model) ? "own" : "native"),
    factsOf: (model) => findFacts(model, sources),
    fetchFacts: async (model) => findFacts(model, { ...sources, fetched: await fetchLimits(client, model) }),
    renderMessage,
    renderRequest: createRequestRenderer({ cacheDiagnostics }),
    renderPing,
    // Other hosts cannot compact.
    renderCompaction: client.models === undefined ? undefined : renderCompaction,
    readResponse,
    readMessages,
    send: (request, options) => send(client, request, options),
    countTokens: (request, options) => countTokens(client, request, options),
  };
}

/**
 * The parts of the client that this provider uses. Clients for other hosts (Bedrock, Vertex) cannot count tokens or
 * list models.
 */
export interface AnthropicClient {
  readonly messages: MessagesResource<Anthropic["messages"]>;
  readonly beta: { readonly messages: MessagesResource<Anthropic["beta"]["messages"]> };
  readonly models?: Pick<Anthropic["models"], "retrieve">;
}

type MessagesResource<Whole extends { create: unknown; countTokens: unknown }> = Pick<Whole, "create"> &
  Partial<Pick<Whole, "countTokens">>;

/** Options of the provider for the Messages API. */
export interface AnthropicOptions {
  /** Facts about models, by the start of their ids; these win over the table. @default {} */
  readonly models?: ExtraModels;
  /**
   * Whether requests ask the service for the cause of cache misses. @default "asked" if the client has a models
   * resource: other hosts have none and refuse the field
   */
  readonly cacheDiagnostics?: "asked" | "off";
  /**
   * Whether requests may ask the service to clear stale tool results and thinking (the rule `byProvider` of
   * the policy decides when). Such requests carry a beta: send them with `send` or with the client's `beta.messages`; `messages`
   * refuses them. @default "off"
   */
  readonly edits?: "asked" | "off";
}

/** Reads the limits of a model from the models endpoint; empty if the endpoint fails. */
async function fetchLimits(client: AnthropicClient, model: string): Promise<Partial<ModelFacts>> {
  try {
    const found = await client.models?.retrieve(toModelId(model), null, callOptions(undefined));
    const { max_input_tokens: windowTokens, max_tokens: maxOutputTokens, capabilities } = found ?? {};
    const { adaptive, enabled } = capabilities?.thinking?.types ?? {};
    const effort = adaptive?.supported ? "levels" : enabled?.supported ? "budget" : undefined;
    return {
      ...(windowTokens ? { windowTokens } : {}),
      ...(maxOutputTokens ? { maxOutputTokens } : {}),
      ...(effort === undefined ? {} : { effort }),
    };
  } catch {
    return {};
  }
}

function send(
  client: AnthropicClient,
  request: AnthropicRequest,
  { signal }: SendOptions = {},
): AsyncGenerator<StreamPart, AnthropicResponse> {
  const resource = resourceOf(client, request);
  return sendStream({
    provider: ANTHROPIC,
    signal,
    collector: createStreamCollector(),
    async open() {
      if (request.max_tokens > 0) return resource.create({ ...request, stream: true }, callOptions(signal));
      // A request without output only warms the cache, and the API refuses to stream it.
      return { whole: await resource.create({ ...request, stream: false }, callOptions(signal)) };
    },
  });
}

async function countTokens(
  client: AnthropicClient,
  request: AnthropicRequest,
  { signal }: SendOptions = {},
): Promise<number | undefined> {
  const resource = resourceOf(client, request);
  const body = pickFields(request, COUNTED_FIELDS) as Anthropic.MessageCountTokensParams;
  return requestTokenCount({ provider: ANTHROPIC, signal }, async () =>
    resource.countTokens?.(body, callOptions(signal)),
  );
}

/** The fields that the counting endpoint accepts. */
const COUNTED_FIELDS: readonly (keyof Anthropic.Beta.MessageCountTokensParams)[] = [
  ...(["model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "speed", "betas"] as const),
  ...(["context_management", "compaction", "mcp_servers"] as const),
];

/**
 * Returns the client resource for a request. Requests with betas need the beta resource, which sends them as a header.
 */
function resourceOf(client: AnthropicClient, { betas }: AnthropicRequest): AnthropicClient["messages"] {
  return betas === undefined || betas.length === 0
    ? client.messages
    : (client.beta.messages as unknown as AnthropicClient["messages"]);
}

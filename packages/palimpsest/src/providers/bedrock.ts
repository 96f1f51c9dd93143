import type { BedrockRuntime, ConverseStreamCommandOutput } from "@aws-sdk/client-bedrock-runtime";
import { anObject, checkArgument } from "../schema/check-options.ts";
import { BEDROCK_CACHE_EFFECTS, findBedrockFacts, toClientError, withoutProfile } from "./bedrock/facts.ts";
import { readMessages, readResponse } from "./bedrock/read.ts";
import { createRequestRenderer, renderMessage, toInput } from "./bedrock/render.ts";
import { type BedrockEvent, createStreamCollector } from "./bedrock/stream.ts";
import { BEDROCK, type BedrockMessage, type BedrockRequest, type BedrockResponse } from "./bedrock/wire.ts";
import { requestTokenCount } from "./count-tokens.ts";
import type { ExtraModels } from "./models.ts";
import type { Provider, SendOptions, StreamPart } from "./provider.ts";
import { sendStream } from "./stream.ts";

export type { BedrockMessage, BedrockRequest, BedrockResponse } from "./bedrock/wire.ts";

/**
 * Provider for Amazon Bedrock (Converse), through the caller's own client of `@aws-sdk/client-bedrock-runtime`.
 * Parameters are the fields of a Converse request. Fields of the model, such as `thinking`, belong in
 * `additionalModelRequestFields`.
 */
export function bedrock(
  client: BedrockClient,
  { models: extra = {} }: BedrockOptions = {},
): Provider<BedrockRequest, BedrockResponse, BedrockMessage> {
  const needed = "a client of @aws-sdk/client-bedrock-runtime with its methods: new BedrockRuntime({ region })";
  checkArgument("bedrock(client)", client, anObject(needed));
  return {
    name: BEDROCK,
    cacheEffects: BEDROCK_CACHE_EFFECTS,
    factsOf: (model) => findBedrockFacts(model, { extra }),
    // The client of the runtime cannot list models.
    fetchFacts: async (model) => findBedrockFacts(model, { extra }),
    renderMessage,
    renderRequest: createRequestRenderer(),
    readResponse,
    readMessages,
    send: (request, options) => send(client, request, options),
    countTokens: (request, options) => countTokens(client, request, options),
  };
}

/** The parts of the client that this provider uses: `BedrockRuntime`, which has a method for each operation. */
export type BedrockClient = Pick<BedrockRuntime, "converseStream" | "middlewareStack"> &
  Partial<Pick<BedrockRuntime, "countTokens">>;

/** Options of the provider for Amazon Bedrock. */
export interface BedrockOptions {
  /** Facts about models, by the start of their ids, without a profile. They win over the table. @default {} */
  readonly models?: ExtraModels;
}

function send(
  client: BedrockClient,
  request: BedrockRequest,
  { signal }: SendOptions = {},
): AsyncGenerator<StreamPart, BedrockResponse> {
  return sendStream({
    provider: BEDROCK,
    signal,
    collector: createStreamCollector(request.modelId),
    async open() {
      signal?.throwIfAborted();
      try {
        const call = signal === undefined ? {} : { abortSignal: signal };
        return eventsOf(await withoutRetries(client).converseStream(toInput(request), call));
      } catch (error) {
        throw toClientError(error);
      }
    },
  });
}

async function* eventsOf({ stream, $metadata }: ConverseStreamCommandOutput): AsyncGenerator<BedrockEvent> {
  yield { begun: { requestId: $metadata.requestId ?? "" } };
  try {
    yield* stream ?? [];
  } catch (error) {
    throw toClientError(error);
  }
}

async function countTokens(
  client: BedrockClient,
  { modelId, messages, system, toolConfig, additionalModelRequestFields }: BedrockRequest,
  { signal }: SendOptions = {},
): Promise<number | undefined> {
  return requestTokenCount({ provider: BEDROCK, signal }, async () => {
    const counted = { messages, system, toolConfig, additionalModelRequestFields };
    const converse = toInput(counted as BedrockRequest);
    try {
      const call = signal === undefined ? {} : { abortSignal: signal };
      const input = { modelId: withoutProfile(modelId), input: { converse } };
      const { inputTokens } = (await withoutRetries(client).countTokens?.(input as never, call)) ?? {};
      return inputTokens === undefined ? undefined : { input_tokens: inputTokens };
    } catch (error) {
      const failed = toClientError(error);
      if (CANNOT_COUNT.includes((failed as { status?: unknown }).status)) return undefined;
      throw failed;
    }
  });
}

/** Statuses for models that cannot count, and for accounts without permission to count. */
const CANNOT_COUNT: readonly unknown[] = [400, 403, 404];

/**
 * Returns the client without retries, because Palimpsest retries by itself. The caller's client keeps its retries. A
 * call has no option for retries, so a pass-through step replaces the client's retry step. It keeps the name of that
 * step, because other steps are positioned after it by name.
 */
function withoutRetries(client: BedrockClient): BedrockClient {
  const middlewareStack = client.middlewareStack.clone();
  const place = { name: "retryMiddleware", step: "finalizeRequest", priority: "high", override: true } as const;
  middlewareStack.add((next: unknown) => next as never, place);
  return Object.create(client, { middlewareStack: { value: middlewareStack } }) as BedrockClient;
}

// Models, prices, cache rules and errors of Amazon Bedrock.

import type { CacheEffects, ModelPrices, TokenPrices } from "../../log/cause.ts";
import { asObject, asString } from "../../schema/json-fields.ts";
import { ANTHROPIC_MODELS } from "../anthropic/facts.ts";
import { type FactSources, findFacts, type ModelFacts, type ModelTable } from "../models.ts";

/**
 * Finds the facts about a model by its id, with the prefix of a profile or as an ARN. Only `global.` has the lower price.
 */
export function findBedrockFacts(model: string, sources: Omit<FactSources, "table" | "all"> = {}): ModelFacts {
  const table = /(?:^|\/)global\./.test(model) ? GLOBAL_MODELS : GEOGRAPHIC_MODELS;
  return findFacts(model, { ...sources, table, all: { maxRequestBytes: REQUEST_BYTES } });
}

/** The limit observed for other operations of this service. */
const REQUEST_BYTES = 25_000_000;

/** Claude at the prices of the global profile. Limits equal those of Anthropic's API, except one cache minimum. */
const GLOBAL_MODELS: ModelTable = {
  ...ANTHROPIC_MODELS,
  "claude-fable-5": { ...ANTHROPIC_MODELS["claude-fable-5"]!, minimumCacheTokens: 1_024 },
};

/** A request that stays within a geography or a region costs 10% more than a request that may run anywhere. */
const GEOGRAPHIC_PREMIUM = 1.1;

const GEOGRAPHIC_MODELS: ModelTable = Object.fromEntries(
  Object.entries(GLOBAL_MODELS).map(([id, { prices, ...facts }]): [string, ModelFacts] => [
    id,
    { ...facts, prices: prices === undefined ? undefined : geographic(prices) },
  ]),
);

/** Adds the premium to all prices of a model. */
function geographic({ above, ...prices }: ModelPrices): ModelPrices {
  return { ...withPremium(prices), above: above === undefined ? undefined : { ...above, ...withPremium(above) } };
}

function withPremium({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenPrices): TokenPrices {
  return {
    input: input * GEOGRAPHIC_PREMIUM,
    output: output * GEOGRAPHIC_PREMIUM,
    cacheRead: cacheRead * GEOGRAPHIC_PREMIUM,
    cacheWrite5m: cacheWrite5m * GEOGRAPHIC_PREMIUM,
    cacheWrite1h: cacheWrite1h * GEOGRAPHIC_PREMIUM,
  };
}

/** Removes the profile from a model id: the counting endpoint accepts models, not profiles. */
export function withoutProfile(model: string): string {
  return model.replace(/^.*\//, "").replace(/^(?:us|us-gov|eu|apac|jp|au|ca|global)\./, "");
}

/** Equal to the rules of Anthropic's API. Thinking, effort and betas are in `additionalModelRequestFields`. */
export const BEDROCK_CACHE_EFFECTS: CacheEffects = {
  parameters: {
    additionalModelRequestFields: "thinking",
    toolConfig: "tool-choice",
    additionalModelResponseFieldPaths: "nothing",
    guardrailConfig: "nothing",
    inferenceConfig: "nothing",
    performanceConfig: "nothing",
    requestMetadata: "nothing",
    serviceTier: "nothing",
  },
  images: "messages",
};

/**
 * Converts an error of this client to the form of the other clients, with status and headers, for `toProviderError`.
 */
export function toClientError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === "AbortError") return error;
  const { $metadata, $response, $fault, code } = error as Error & Record<string, unknown>;
  const httpStatus = asObject($metadata)?.["httpStatusCode"];
  const status = STATUSES[error.name] ?? httpStatus;
  if (typeof status === "number" && ($fault !== undefined || httpStatus !== undefined)) {
    const headers = new Headers(stringsOf(asObject(asObject($response)?.["headers"]) ?? {}));
    return Object.assign(new Error(error.message, { cause: error }), { status, headers, type: error.name });
  }
  const isConnection = CONNECTION.test(asString(code) ?? "") || error.name === "TimeoutError";
  if (!isConnection) return error;
  return Object.assign(new Error(error.message, { cause: error }), { status: undefined, headers: undefined });
}

/**
 * Statuses of exceptions by name. An exception inside a stream has no status. Two failures of the model have a
 * misleading status; their documentation recommends a retry.
 */
const STATUSES: Readonly<Record<string, number>> = {
  InternalServerException: 500,
  ModelErrorException: 502,
  ModelNotReadyException: 503,
  ModelStreamErrorException: 502,
  ModelTimeoutException: 504,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  ValidationException: 400,
};

/** Codes of failed connections, from the system and from HTTP/2. */
const CONNECTION =
  /^(?:E(?:CONN|PIPE|NOTFOUND|AI_AGAIN|HOST|NET|TIMEDOUT|ADDR)|ERR_(?:HTTP2|STREAM|SOCKET|SSL|TLS)|UND_ERR)/;

function stringsOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  // HTTP/2 adds pseudo-headers such as `:status`, which `Headers` refuses.
  const own = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

// Models, prices, cache rules and errors of Amazon Bedrock.

import type { CacheEffects, ModelPrices, TokenPrices } from "../../log/cause.ts";
import { asObject, asString } from "../../schema/json-fields.ts";
import { ANTHROPIC_MODELS } from "../anthropic/facts.ts";
import { type FactSources, findFacts, type ModelFacts, type ModelTable } from "../models.ts";

/** Facts of a model by its id, with the prefix of its profile or as an ARN. Only `global.` has the lower price. */
export function findBedrockFacts(model: string, sources: Omit<FactSources, "table" | "all"> = {}): ModelFacts {
  const table = /(?:^|\/)global\./.test(model) ? GLOBAL_MODELS : GEOGRAPHIC_MODELS;
  return findFacts(model, { ...sources, table, all: { maxRequestBytes: REQUEST_BYTES } });
}

/** The limit that was seen for this service's other operations. */
const REQUEST_BYTES = 25_000_000;

/** Claude at the prices of the global profile. Limits as those of the model's own host, but for one minimum. */
const GLOBAL_MODELS: ModelTable = {
  ...ANTHROPIC_MODELS,
  "claude-fable-5": { ...ANTHROPIC_MODELS["claude-fable-5"]!, minimumCacheTokens: 1_024 },
};

/** A request that stays within a geography or a region costs a tenth more than one that may run anywhere. */
const GEOGRAPHIC_PREMIUM = 1.1;

const GEOGRAPHIC_MODELS: ModelTable = Object.fromEntries(
  Object.entries(GLOBAL_MODELS).map(([id, { prices, ...facts }]): [string, ModelFacts] => [
    id,
    { ...facts, ...(prices === undefined ? {} : { prices: geographic(prices) }) },
  ]),
);

function geographic({ above, ...prices }: ModelPrices): ModelPrices {
  return { ...dearer(prices), ...(above === undefined ? {} : { above: { ...above, ...dearer(above) } }) };
}

function dearer({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: TokenPrices): TokenPrices {
  return {
    input: input * GEOGRAPHIC_PREMIUM,
    output: output * GEOGRAPHIC_PREMIUM,
    cacheRead: cacheRead * GEOGRAPHIC_PREMIUM,
    cacheWrite5m: cacheWrite5m * GEOGRAPHIC_PREMIUM,
    cacheWrite1h: cacheWrite1h * GEOGRAPHIC_PREMIUM,
  };
}

/** The id without its profile: tokens are counted by the model itself, not by a profile. */
export function withoutProfile(model: string): string {
  return model.replace(/^.*\//, "").replace(/^(?:us|us-gov|eu|apac|jp|au|ca|global)\./, "");
}

/** As for the model's own host. Thinking, effort and betas are fields of the model (`additionalModelRequestFields`). */
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

/** An error of the client in the form of the other clients, with status, headers and body, by which failures are told apart. */
export function toClientError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === "AbortError") return error;
  const { $metadata, $response, $fault, code } = error as Error & Record<string, unknown>;
  const answered = asObject($metadata)?.["httpStatusCode"];
  const status = STATUSES[error.name] ?? answered;
  if (typeof status === "number" && ($fault !== undefined || answered !== undefined)) {
    const headers = new Headers(stringsOf(asObject(asObject($response)?.["headers"]) ?? {}));
    return Object.assign(new Error(error.message, { cause: error }), { status, headers, type: error.name });
  }
  const isConnection = CONNECTION.test(asString(code) ?? "") || error.name === "TimeoutError";
  if (!isConnection) return error;
  return Object.assign(new Error(error.message, { cause: error }), { status: undefined, headers: undefined });
}

/**
 * Statuses by which failures are told apart: an exception inside a stream has none, and two failures of the model have one that says
 * less than their name. Their documentation asks to send the request again.
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

/** Codes of connections that failed: of the system, and of HTTP/2. */
const CONNECTION =
  /^(?:E(?:CONN|PIPE|NOTFOUND|AI_AGAIN|HOST|NET|TIMEDOUT|ADDR)|ERR_(?:HTTP2|STREAM|SOCKET|SSL|TLS)|UND_ERR)/;

function stringsOf(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  // The headers of HTTP/2 include its own fields, which are no names of headers.
  const own = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

// Reads a whole response, its usage and the reason to stop.

import type { ResponseContent } from "palimpsest/provider-parts";
import { asCount, asList, asObject, asString, type JsonObject } from "palimpsest/schema";
import { readOutput } from "./read-items.ts";
import type { AgentsResponse } from "./wire.ts";

export function readResponse({ output, usage, responseId, providerData, model }: AgentsResponse): ResponseContent {
  const blocks = readOutput(output);
  const data = asObject(providerData) ?? {};
  const hasCalls = blocks.some(({ kind }) => kind === "tool_call");
  return {
    responseId: responseId ?? asString(data["id"]) ?? "",
    model: asString(data["model"]) ?? model,
    blocks,
    stop: STOPS[reasonOf(data)] ?? (hasCalls ? "tools" : "end"),
    usage: readUsage(usage),
  };
}

/** The reasons to stop early by their names in the two APIs. */
const STOPS: Readonly<Record<string, ResponseContent["stop"]>> = {
  max_output_tokens: "length",
  length: "length",
  content_filter: "refused",
};

function reasonOf(data: JsonObject): string {
  const [choice] = asList(data["choices"]) ?? [];
  const { reason } = asObject(data["incomplete_details"]) ?? {};
  return asString(reason) ?? asString(asObject(choice)?.["finish_reason"]) ?? "";
}

/** Reads the usage. The SDK keeps its details as one object, or as a list with one object per call. */
function readUsage(usage: unknown): ResponseContent["usage"] {
  const { inputTokens, outputTokens, inputTokensDetails, outputTokensDetails } = asObject(usage) ?? {};
  const cacheReadTokens = detail(inputTokensDetails, ["cached_tokens", "cachedTokens"]);
  const cacheWriteTokens = detail(inputTokensDetails, ["cache_write_tokens", "cacheWriteTokens"]);
  const reasoningTokens = detail(outputTokensDetails, ["reasoning_tokens", "reasoningTokens"]);
  return {
    freshTokens: Math.max(0, (asCount(inputTokens) ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asCount(outputTokens) ?? 0,
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  };
}

function detail(details: unknown, names: readonly string[]): number {
  const all = asList(details) ?? [details];
  return all.reduce<number>((sum, one) => sum + countIn(asObject(one) ?? {}, names), 0);
}

function countIn(fields: JsonObject, names: readonly string[]): number {
  return names.map((name) => asCount(fields[name])).find((count) => count !== undefined) ?? 0;
}

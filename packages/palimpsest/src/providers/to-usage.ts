import { asCount } from "../schema/json-fields.ts";
import type { ResponseContent } from "./provider.ts";

/** Token counts of a response, from fields that each service names differently. */
export interface ReportedCounts {
  /** The whole input, including tokens read from the cache and written to it. */
  readonly input: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly output: unknown;
  readonly reasoning: unknown;
}

export function toUsage(reported: ReportedCounts): ResponseContent["usage"] {
  const cacheReadTokens = asCount(reported.cacheRead) ?? 0;
  const cacheWriteTokens = asCount(reported.cacheWrite) ?? 0;
  const reasoningTokens = asCount(reported.reasoning);
  return {
    freshTokens: Math.max(0, (asCount(reported.input) ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asCount(reported.output) ?? 0,
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}

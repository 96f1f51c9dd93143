import { asCount } from "../../log/json-fields.ts";
import type { ResponseContent } from "../provider.ts";

/** The counts of a response, under whatever name the service has for each. */
export interface ReportedCounts {
  /** The whole input: what was read from the cache and written to it is part of it. */
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

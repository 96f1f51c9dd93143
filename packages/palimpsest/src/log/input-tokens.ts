import type { UsagePayload } from "./payload.ts";

/** All input of a request. Cached tokens fill the window like any others. */
export function inputTokensOf(
  usage: Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens">,
): number {
  return usage.freshTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

import type { UsagePayload } from "./payload.ts";

/** All input tokens of a request. Cached tokens fill the window, too. */
export function inputTokensOf(
  usage: Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens">,
): number {
  return usage.freshTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

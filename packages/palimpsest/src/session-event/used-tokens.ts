import type { UsagePayload } from "../log/payload.ts";

/** What a call used, as its usage entry says it. */
export type UsedTokens = Pick<
  UsagePayload,
  "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens" | "reasoningTokens"
>;

import type { UsagePayload } from "./payload.ts";

/** Which response used how many tokens. */
export type UsageTokens = Pick<
  UsagePayload,
  | "responseId"
  | "freshTokens"
  | "cacheReadTokens"
  | "cacheWriteTokens"
  | "cacheWrite1hTokens"
  | "outputTokens"
  | "reasoningTokens"
>;

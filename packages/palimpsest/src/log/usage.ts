// Sums of token counts.

import type { UsagePayload } from "./payload.ts";

/** Returns all input tokens of a request, cached or not: cached tokens fill the window, too. */
export function inputTokensOf(
  usage: Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens">,
): number {
  return usage.freshTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Adds the named fields of two objects; with the sign -1, subtracts the second from the first. */
export function addCounts<Name extends string>(
  names: readonly Name[],
  left: Readonly<Record<Name, number>>,
  right: Readonly<Record<Name, number>>,
  sign: 1 | -1 = 1,
): Record<Name, number> {
  const sums = names.map((name) => [name, left[name] + sign * right[name]] as const);
  return Object.fromEntries(sums) as Record<Name, number>;
}

/** The token counts of one response. */
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

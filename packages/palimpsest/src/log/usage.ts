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

/** All input tokens of a request. Cached tokens fill the window, too. */
export function inputTokensOf(
  usage: Pick<UsagePayload, "freshTokens" | "cacheReadTokens" | "cacheWriteTokens">,
): number {
  return usage.freshTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Adds up the named fields of two objects; with the sign -1, takes the second from the first. */
export function addCounts<Name extends string>(
  names: readonly Name[],
  left: Readonly<Record<Name, number>>,
  right: Readonly<Record<Name, number>>,
  sign: 1 | -1 = 1,
): Record<Name, number> {
  const sums = names.map((name) => [name, left[name] + sign * right[name]] as const);
  return Object.fromEntries(sums) as Record<Name, number>;
}

import type { Rates } from "./price-response.ts";
import { FIXED, type Settled } from "./window.ts";

export interface SharedCost {
  /** US dollars by part. */
  readonly parts: ReadonlyMap<string, number>;
  /** The price of one new token of the conversation, and of one that is not new. */
  readonly newRate: number;
  readonly carriedRate: number;
}

/**
 * Shares what the input of a request cost among what it consisted of. The cache is read from the front: first what stands before
 * the messages, then the conversation. What was not read is first of all what was new; the rest of it is what was in the cache
 * and was paid for again, and of that everything in the conversation has its share.
 */
export function shareCost(settled: Settled, readTokens: number, { read, unread }: Rates): SharedCost {
  const { parts, added, fixedTokens } = settled;
  const newTokens = sumOf(added) - (added.get(FIXED) ?? 0);
  const conversationTokens = sumOf(parts) - fixedTokens;
  const fixedRead = Math.min(fixedTokens, readTokens);
  const unreadTokens = Math.max(0, conversationTokens - (readTokens - fixedRead));
  const newUnread = Math.min(unreadTokens, newTokens);
  const oldTokens = Math.max(0, conversationTokens - newTokens);
  const rateAt = (share: number): number => share * unread + (1 - share) * read;
  const newRate = rateAt(newTokens === 0 ? 0 : newUnread / newTokens);
  const carriedRate = rateAt(oldTokens === 0 ? 0 : Math.min(1, (unreadTokens - newUnread) / oldTokens));

  const costs = new Map<string, number>();
  for (const [part, tokens] of parts) {
    const fresh = part === FIXED ? 0 : Math.min(tokens, added.get(part) ?? 0);
    const usd =
      part === FIXED
        ? fixedRead * read + (fixedTokens - fixedRead) * unread
        : fresh * newRate + (tokens - fresh) * carriedRate;
    costs.set(part, usd);
  }
  return { parts: costs, newRate, carriedRate };
}

function sumOf(parts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const tokens of parts.values()) sum += tokens;
  return sum;
}

import type { Cause, ChangeCause } from "../log/cause.ts";

/** A drop is a break if it is larger than both: small ones are the tail of a message, or the provider's rounding. */
const BREAK_SHARE = 0.05;
const BREAK_TOKENS = 2_000;

interface CacheTokens {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** What the provider has deleted from the cached prompt so far. @default 0 */
  readonly deletedTokens?: number;
}

/**
 * How many tokens fewer were read from the cache than the request before had left there, if that is a break. What it had
 * left is what it read and what it wrote: a second request that finds nothing has lost as much as any later one, though
 * nothing had been read before it.
 */
export function findDrop(before: CacheTokens, now: Omit<CacheTokens, "cacheWriteTokens">): number | undefined {
  const leftTokens = leftInCache(before, now);
  const droppedTokens = leftTokens - now.cacheReadTokens;
  return droppedTokens > BREAK_TOKENS && droppedTokens > BREAK_SHARE * leftTokens ? droppedTokens : undefined;
}

/** What a request left in the cache, less what the next one deleted of it. */
export function leftInCache(before: CacheTokens, now: Pick<CacheTokens, "deletedTokens">): number {
  const newlyDeleted = Math.max(0, (now.deletedTokens ?? 0) - (before.deletedTokens ?? 0));
  return Math.max(0, before.cacheReadTokens + before.cacheWriteTokens - newlyDeleted);
}

/** Causes in the order of where they move the prompt: its first byte, tools, system, all messages, some messages. */
const ORDER: readonly Cause[] = [
  ...(["provider", "model", "pause", "tools", "system", "betas", "parameters"] as const),
  ...(["thinking", "effort", "tool-choice", "images"] as const),
  ...([
    "boundary",
    "rewind",
    "restore",
    "replace",
    "provider-edits",
    "earlier-thinking",
    "cache-ttl",
    "server",
  ] as const),
];

/** For sorting: earlier in the prompt first, and of two that concern messages, the one that concerns earlier ones. */
export function compareCauses(a: Placed, b: Placed): number {
  return placeOf(a) - placeOf(b) || (a.from ?? 0) - (b.from ?? 0) || ORDER.indexOf(a.cause) - ORDER.indexOf(b.cause);
}

/** Whatever its cause, what begins at a message comes behind all that concerns every message. */
function placeOf({ cause, from }: Placed): number {
  return ORDER.indexOf(from === undefined ? cause : "boundary");
}

interface Placed {
  readonly cause: Cause;
  readonly from?: number;
}

export interface Circumstances {
  /** What the log says has changed, earliest in the prompt first. */
  readonly changes: readonly { readonly cause: ChangeCause; readonly from?: number }[];
  /** From request to request; absent where there was none before. */
  readonly pauseMs?: number;
  readonly lifetimeMs: number;
}

/** Why a prompt is not in the cache: all that the log and the clock know; if that is nothing, the server. */
export function nameCauses({ changes, pauseMs = 0, lifetimeMs }: Circumstances): readonly Cause[] {
  const pause = pauseMs >= lifetimeMs ? [{ cause: "pause" as const }] : [];
  const placed: Placed[] = [...changes, ...pause];
  const causes = placed.toSorted(compareCauses).map(({ cause }) => cause);
  return causes.length === 0 ? ["server"] : [...new Set(causes)];
}

/** Whether somebody decided it, so that it was to be expected. */
export function isExpected(causes: readonly Cause[]): boolean {
  return !causes.includes("pause") && !causes.includes("server");
}

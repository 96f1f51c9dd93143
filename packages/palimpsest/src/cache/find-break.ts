import type { Cause, ChangeCause } from "../log/cause.ts";

/** A drop is a break if it exceeds both limits: smaller drops are the tail of a message, or the provider's rounding. */
const BREAK_SHARE = 0.05;
const BREAK_TOKENS = 2_000;

interface CacheTokens {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Tokens that the provider has deleted from the cached prompt so far. @default 0 */
  readonly deletedTokens?: number;
}

/**
 * Returns how many tokens fewer were read than the previous request left in the cache, if that is a break. A request leaves
 * what it read plus what it wrote, so a second request that reads nothing is a break like any later one.
 */
export function findDrop(before: CacheTokens, now: Omit<CacheTokens, "cacheWriteTokens">): number | undefined {
  const leftTokens = leftInCache(before, now);
  const droppedTokens = leftTokens - now.cacheReadTokens;
  return droppedTokens > BREAK_TOKENS && droppedTokens > BREAK_SHARE * leftTokens ? droppedTokens : undefined;
}

/** The tokens that a request left in the cache, minus those that the next one deleted. */
export function leftInCache(before: CacheTokens, now: Pick<CacheTokens, "deletedTokens">): number {
  const newlyDeleted = Math.max(0, (now.deletedTokens ?? 0) - (before.deletedTokens ?? 0));
  return Math.max(0, before.cacheReadTokens + before.cacheWriteTokens - newlyDeleted);
}

/** Causes by where they change the prompt: its first byte, tools, system, all messages, some messages. */
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

/** Sort key: earlier in the prompt first; among causes in messages, the earlier message first. */
export function compareCauses(a: Placed, b: Placed): number {
  return placeOf(a) - placeOf(b) || (a.from ?? 0) - (b.from ?? 0) || ORDER.indexOf(a.cause) - ORDER.indexOf(b.cause);
}

/** A cause that begins at one message comes after all causes that affect every message. */
function placeOf({ cause, from }: Placed): number {
  return ORDER.indexOf(from === undefined ? cause : "boundary");
}

interface Placed {
  readonly cause: Cause;
  readonly from?: number;
}

export interface Circumstances {
  /** The changes by the log, earliest in the prompt first. */
  readonly changes: readonly { readonly cause: ChangeCause; readonly from?: number }[];
  /** Time between the two requests; absent if there was no previous one. */
  readonly pauseMs?: number;
  readonly lifetimeMs: number;
}

/** Returns why a prompt is not in the cache: every cause in the log and by the clock; if there is none, the server. */
export function nameCauses({ changes, pauseMs = 0, lifetimeMs }: Circumstances): readonly Cause[] {
  const pause = pauseMs >= lifetimeMs ? [{ cause: "pause" as const }] : [];
  const placed: Placed[] = [...changes, ...pause];
  const causes = placed.toSorted(compareCauses).map(({ cause }) => cause);
  return causes.length === 0 ? ["server"] : [...new Set(causes)];
}

/** Whether a decision caused it, so that it was expected. */
export function isExpected(causes: readonly Cause[]): boolean {
  return !causes.includes("pause") && !causes.includes("server");
}

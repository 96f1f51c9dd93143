import type { SentRequest } from "./simulated-models.ts";

/** The shortest lifetime of a cached prompt among the services. */
const LIFETIME_MS = 5 * 60_000;

/**
 * The cache read of a fork's request, in percent of what the newest request of its parent left in the cache. Throws if a part of
 * that may have expired, because the share would then say nothing about the fork.
 */
export function forkShare(fork: SentRequest, sent: readonly SentRequest[]): number {
  const parent = sent.slice(0, sent.indexOf(fork)).findLast(({ kind }) => kind === "main");
  if (parent === undefined) throw new Error("A fork was sent before any request of its parent.");
  const ageMs = fork.atMs - parent.atMs;
  if (ageMs >= LIFETIME_MS) throw new Error(`The fork came ${ageMs} ms after its parent, whose cache lives 5 minutes.`);
  const pct = (100 * fork.usage.cacheReadTokens) / parent.leftTokens;
  return Math.round(Math.min(100, pct) * 10) / 10;
}

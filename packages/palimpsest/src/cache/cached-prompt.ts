import type { PreviousRequest } from "../cost/ledger.ts";

/** Whether the provider still holds the prompt of the newest answered request. `none`: there was no request yet. */
export function cachedPrompt(previous: PreviousRequest | undefined, nowMs: number): "none" | "warm" | "cold" {
  if (previous === undefined) return "none";
  // With deletions undone, the prompt is another one than the cached prompt: treat the cache as cold.
  return previous.deletions === "stale" || nowMs >= previous.atMs + previous.lifetimeMs ? "cold" : "warm";
}

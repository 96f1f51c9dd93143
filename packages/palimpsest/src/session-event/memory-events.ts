import type { UsedTokens } from "./used-tokens.ts";

/**
 * A turn was looked through for what is worth remembering. `own-writes`: the model had seen to it by itself. `over-budget`: not
 * today, or not in this session.
 */
export interface MemoriesExtracted {
  readonly kind: "memories-extracted";
  readonly outcome: "extracted" | "nothing" | "own-writes" | "over-budget" | "failed";
  /** Topics that were written or proposed. */
  readonly count: number;
  /** Of `over-budget` and `failed`. */
  readonly why?: string;
  readonly used?: UsedTokens;
}

/** So many proposals wait in the memory's inbox for the user's yes. */
export interface MemoriesWaiting {
  readonly kind: "memories-waiting";
  readonly count: number;
}

/**
 * The user has looked at a memory: accepted what was proposed (`confirmed`) or refused it (`rejected`), or has written another
 * text than a model had (`corrected`).
 */
export interface MemoryJudged {
  readonly kind: "memory-judged";
  readonly verdict: "confirmed" | "corrected" | "rejected";
}

/** The memory was gone over. `held`: it would change so much that the user is to say yes. `stopped`: somebody ended it. */
export interface Dreamed {
  readonly kind: "dreamed";
  /** `manual`: somebody asked for it. */
  readonly trigger: "auto" | "manual";
  readonly outcome: "consolidated" | "nothing" | "held" | "failed" | "stopped";
  /** Topics that were changed; of `held`, that would be. */
  readonly changed: number;
  /** Of `held`, `failed` and `stopped`. It may name topics: content. */
  readonly why?: string;
  readonly used?: UsedTokens;
}

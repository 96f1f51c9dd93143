import type { RateLimit } from "./rate-source.ts";

/** The request has no turn yet. */
export interface RateWait {
  /** When its turn is likely to come. */
  readonly waitMs: number;
  /** How long it has waited. */
  readonly waitedMs: number;
  readonly limit: RateLimit;
}

/** A place in the limit. Call `settle` with the tokens that were used. */
export type RateTurn =
  /** Call `settle` when the tokens are known. Unused ones come back. */
  { readonly kind: "taken"; settle(usedTokens: number): void } | { readonly kind: "aborted" };

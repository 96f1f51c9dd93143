import type { CacheTtl } from "../log/payload.ts";
import type { ModelPrices } from "../log/prices.ts";
import type { Ledger } from "./ledger.ts";
import { expectedRequest, type Rhythm } from "./rhythm.ts";
import { costsOf, HOUR_MS, USUAL_LONG_WRITE } from "./token-costs.ts";

export const LIFETIME_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": HOUR_MS };

export interface TtlQuestion {
  /** The lifetime by the settings. */
  readonly wanted: CacheTtl | "auto";
  readonly ledger: Ledger;
  /** Size of the next request, without what has a lifetime of its own. */
  readonly sizeTokens: number;
  readonly prices: ModelPrices | undefined;
  readonly nowMs: number;
}

/**
 * Chooses how long the next prompt is cached. `auto` changes the lifetime only when the prompt is written anyway: at the start,
 * when the cache is cold, and after a compaction boundary. A warm prompt is never written again for it.
 */
export function chooseTtl({ wanted, ledger, sizeTokens, prices, nowMs }: TtlQuestion): CacheTtl {
  if (wanted !== "auto") return wanted;
  const { previous, rhythm } = ledger.sources["main"] ?? {};
  const isCold = previous === undefined || nowMs >= previous.atMs + previous.lifetimeMs;
  const isFolded = ledger.pending.some(({ cause }) => cause === "boundary");
  if (!isCold && !isFolded) return previous.lifetimeMs === HOUR_MS ? "1h" : "5m";
  return cheaperTtl({ rhythm, sizeTokens, prices });
}

/** The average number of requests that remain at any point of a session. */
const HORIZON_REQUESTS = 100;
/** A cache miss costs the prompt at its later size; some sessions end sooner, and some prompts are compacted. */
const GROWING_REQUESTS = 25;

/**
 * A lifetime of an hour costs more for every write: the prompt now, the new part of each request, and the whole prompt after a
 * longer pause. A lifetime of five minutes costs a rewrite of the prompt after every pause in between.
 * docs/decisions/pauses-have-a-price.md has the savings on recorded sessions.
 */
function cheaperTtl({
  rhythm,
  sizeTokens,
  prices,
}: Pick<TtlQuestion, "sizeTokens" | "prices"> & { readonly rhythm: Rhythm | undefined }): CacheTtl {
  const { read, write } = costsOf(prices, { inputTokens: sizeTokens });
  const long =
    prices === undefined ? USUAL_LONG_WRITE : costsOf(prices, { lifetimeMs: HOUR_MS, inputTokens: sizeTokens }).write;
  const { grownTokens, middlePauses, longPauses } = expectedRequest(rhythm);
  const stakeTokens = sizeTokens + GROWING_REQUESTS * grownTokens;
  const writtenTokens = sizeTokens + HORIZON_REQUESTS * (grownTokens + longPauses * stakeTokens);
  const rewrittenTokens = HORIZON_REQUESTS * middlePauses * stakeTokens;
  return writtenTokens * (long - write) < rewrittenTokens * (write - read) ? "1h" : "5m";
}

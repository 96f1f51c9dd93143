import type { CacheTtl } from "../log/payload.ts";
import type { ModelPrices } from "../log/prices.ts";
import type { Ledger } from "./ledger.ts";
import { expectedRequest, type Rhythm } from "./rhythm.ts";
import { costsOf, HOUR_MS } from "./token-costs.ts";

export const LIFETIME_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": HOUR_MS };

export interface TtlQuestion {
  /** What the settings say. */
  readonly wanted: CacheTtl | "auto";
  readonly ledger: Ledger;
  /** Of the next request. */
  readonly sizeTokens: number;
  readonly prices: ModelPrices | undefined;
  readonly nowMs: number;
}

/**
 * How long the next prompt is to be kept. `auto` chooses only where the prompt is written anyway: at the start, when the cache
 * is cold, and behind a boundary. In between it stays what it was: a warm prompt is never written again for it.
 */
export function chooseTtl({ wanted, ledger, sizeTokens, prices, nowMs }: TtlQuestion): CacheTtl {
  if (wanted !== "auto") return wanted;
  const { previous, rhythm } = ledger.sources["main"] ?? {};
  const isCold = previous === undefined || nowMs >= previous.atMs + previous.lifetimeMs;
  const isFolded = ledger.pending.some(({ cause }) => cause === "boundary");
  if (!isCold && !isFolded) return previous.lifetimeMs === HOUR_MS ? "1h" : "5m";
  return cheaperTtl({ rhythm, sizeTokens, prices });
}

/** About as many requests remain on average at any point of a session. */
const HORIZON_REQUESTS = 100;
/** What is at stake in a pause is the prompt as large as it will be then; some sessions end sooner, some prompts are folded. */
const GROWING_REQUESTS = 25;
/** Without prices: an hour is written at twice the input price. */
const USUAL_LONG_WRITE = 2;

/**
 * An hour costs more for all that is written: the prompt now, what is new with each request, and the prompt again after a
 * pause that is too long even for it. Five minutes cost that the prompt is written again after every pause in between.
 * What it saved on recorded sessions stands in docs/decisions/pauses-have-a-price.md.
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

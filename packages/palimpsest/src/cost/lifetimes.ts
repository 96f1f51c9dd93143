import type { ModelPrices } from "../log/cause.ts";
import type { CacheTtl } from "../log/payload.ts";
import type { Ledger } from "./ledger.ts";
import { costsOf, HOUR_MS, LIFETIME_MS, USUAL_LONG_WRITE } from "./prices.ts";

/**
 * Chooses whether the system prompt and the tools are cached for an hour while the messages are cached for five minutes. `auto`
 * decides only when they are written anyway. It chooses an hour if that would have saved money with the pauses of this session so
 * far, so a session without such pauses never pays more. docs/decisions/the-head-has-its-own-lifetime.md has the figures.
 */
export function chooseHeadTtl({ wanted, ledger, prices, nowMs }: HeadTtlQuestion): CacheTtl {
  if (wanted !== "auto") return wanted === "1h" ? "1h" : "5m";
  const { previous, rhythm } = ledger.sources["main"] ?? {};
  if (previous === undefined) return "5m";
  const { atMs, headLifetimeMs = previous.lifetimeMs } = previous;
  const pauseMs = nowMs - atMs;
  if (pauseMs < headLifetimeMs) return headLifetimeMs === HOUR_MS ? "1h" : "5m";
  const isMiddle = pauseMs >= LIFETIME_MS["5m"] && pauseMs < HOUR_MS;
  // The pause that ends now is not part of the rhythm yet.
  const middlePauses = (rhythm?.middlePauses ?? 0) + (isMiddle ? 1 : 0);
  const longPauses = (rhythm?.longPauses ?? 0) + (isMiddle ? 0 : 1);
  const { read, write } = costsOf(prices);
  const long = prices === undefined ? USUAL_LONG_WRITE : costsOf(prices, { lifetimeMs: HOUR_MS }).write;
  return middlePauses * (write - read) > (1 + longPauses) * (long - write) ? "1h" : "5m";
}

/** The setting, and the state that `auto` decides by. */
export interface HeadTtlQuestion {
  /** The lifetime of the system prompt and the tools by the settings. */
  readonly wanted: "auto" | "same" | "1h";
  readonly ledger: Ledger;
  readonly prices: ModelPrices | undefined;
  readonly nowMs: number;
}

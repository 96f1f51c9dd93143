import { HOUR_MS, LIFETIME_MS } from "./token-costs.ts";

/** The pauses between requests, as decaying sums: of bounded size, however long the session is. */
export interface Rhythm {
  /** Pauses that a one-hour cache survives and a five-minute cache does not. */
  readonly middlePauses: number;
  /** Pauses that neither survives. */
  readonly longPauses: number;
  /** The newest request. Pings do not count: they bridge a pause, but do not shorten it. */
  readonly atMs: number;
}

/** Each request reduces the weight of the earlier ones by this factor: about a hundred count. */
const FADING = 0.99;

/** @param atMs the time of the next request */
export function addToRhythm(before: Rhythm | undefined, atMs: number): Rhythm {
  if (before === undefined) return { middlePauses: 0, longPauses: 0, atMs };
  const pauseMs = atMs - before.atMs;
  const isLong = pauseMs >= HOUR_MS;
  return {
    middlePauses: FADING * before.middlePauses + (pauseMs >= LIFETIME_MS["5m"] && !isLong ? 1 : 0),
    longPauses: FADING * before.longPauses + (isLong ? 1 : 0),
    atMs,
  };
}

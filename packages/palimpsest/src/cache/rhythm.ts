import { HOUR_MS } from "./token-costs.ts";

/** The pattern of requests over time, as decaying sums: of bounded size, however long the session is. */
export interface Rhythm {
  readonly requests: number;
  /** How much the input grew from request to request. */
  readonly grownTokens: number;
  /** Pauses that a one-hour cache survives and a five-minute cache does not. */
  readonly middlePauses: number;
  /** Pauses that neither survives. */
  readonly longPauses: number;
  /** The newest request. Pings do not count: they bridge a pause, but do not shorten it. */
  readonly atMs: number;
  readonly inputTokens: number;
}

/** Each request reduces the weight of the earlier ones by this factor: about a hundred count. */
const FADING = 0.99;
const SHORT_MS = 300_000;

export function addToRhythm(
  before: Rhythm | undefined,
  { atMs, inputTokens }: Pick<Rhythm, "atMs" | "inputTokens">,
): Rhythm {
  if (before === undefined) {
    return { requests: 0, grownTokens: 0, middlePauses: 0, longPauses: 0, atMs, inputTokens };
  }
  const pauseMs = atMs - before.atMs;
  const isLong = pauseMs >= HOUR_MS;
  return {
    requests: FADING * before.requests + 1,
    grownTokens: FADING * before.grownTokens + Math.max(0, inputTokens - before.inputTokens),
    middlePauses: FADING * before.middlePauses + (pauseMs >= SHORT_MS && !isLong ? 1 : 0),
    longPauses: FADING * before.longPauses + (isLong ? 1 : 0),
    atMs,
    inputTokens,
  };
}

/** The expected values for one request. */
export interface ExpectedRequest {
  readonly grownTokens: number;
  readonly middlePauses: number;
  readonly longPauses: number;
}

/** Of 20,494 requests in 166 recorded sessions: 542 came after 5 to 60 minutes, 129 after more; 1,350 tokens were new. */
const USUAL: ExpectedRequest = { grownTokens: 1_350, middlePauses: 542 / 20_494, longPauses: 129 / 20_494 };
/** The recorded sessions count as much as this many requests of this session. */
const USUAL_WEIGHT = 50;

export function expectedRequest(rhythm: Rhythm | undefined): ExpectedRequest {
  const mean = (name: keyof ExpectedRequest): number =>
    (USUAL_WEIGHT * USUAL[name] + (rhythm?.[name] ?? 0)) / (USUAL_WEIGHT + (rhythm?.requests ?? 0));
  return {
    grownTokens: mean("grownTokens"),
    middlePauses: mean("middlePauses"),
    longPauses: mean("longPauses"),
  };
}

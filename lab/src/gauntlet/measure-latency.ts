import { tenths } from "../soak/growth.ts";
import { median, round } from "../statistics.ts";
import type { Played } from "./stage.ts";

/** L: the contestant's own time and memory. The service answers at once. */
export interface LatencyFigures {
  /** Milliseconds from an answer to the next request within a turn: at the beginning, and at the end of the course. */
  readonly between_requests_ms: { readonly first_tenth: number | null; readonly last_tenth: number | null };
  /** Last over first. */
  readonly growth: number | null;
  readonly turn_ms: { readonly first_tenth: number; readonly last_tenth: number };
  readonly peak_mb: number | null;
}

export function measureLatency(played: readonly Played[], peakMb: number | undefined): LatencyFigures {
  const { first, last } = tenths(played.filter(({ isDone }) => isDone));
  const [begin, end] = [betweenRequests(first), betweenRequests(last)];
  const growth = begin === null || end === null ? null : round(end / begin);
  const turnMs = (some: readonly Played[]) => (some.length === 0 ? 0 : round(median(some.map(({ ms }) => ms))));
  return {
    between_requests_ms: { first_tenth: begin, last_tenth: end },
    growth,
    turn_ms: { first_tenth: turnMs(first), last_tenth: turnMs(last) },
    peak_mb: peakMb === undefined ? null : Math.round(peakMb),
  };
}

function betweenRequests(played: readonly Played[]): number | null {
  const gaps = played.flatMap(({ exchanges }) =>
    exchanges.slice(1).map(({ arrivedMs }, at) => Math.max(0, arrivedMs - exchanges[at]!.answeredMs)),
  );
  return gaps.length === 0 ? null : round(median(gaps));
}

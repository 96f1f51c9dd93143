import { type Place, processState, silenceMs } from "../owner/owner.ts";
import type { BusyWriter } from "../store.ts";
import type { Beat } from "./lease.ts";
import type { Writer } from "./log.ts";

export interface WriterLeaseOptions {
  readonly place: Place;
  /** Of whoever asks; a writer that beats has its own. */
  readonly leaseMs: number;
}

/**
 * Whether a log is held, and by whom. A writer is alive as long as its store says so, or it appends. One whose process is
 * gone is not, whenever that was: where the system can tell, nobody waits.
 */
export function heldBy(
  writer: Writer,
  beat: Beat | undefined,
  { place, leaseMs }: WriterLeaseOptions,
): BusyWriter | undefined {
  if (writer.state === "closed" || (beat !== undefined && processState(beat, place) === "gone")) return undefined;
  const nowMs = place.clock.now();
  const sinceAppendMs = nowMs - writer.activeAtMs;
  // Without a beat (its file was removed, or its store has a lease of 0 and writes none) the last append is all that is known.
  // One in the future (a clock was turned back) may be of a writer that is alive.
  const silentMs =
    beat === undefined
      ? Math.max(0, sinceAppendMs)
      : Math.min(silenceMs(beat, place), sinceAppendMs < 0 ? Number.POSITIVE_INFINITY : sinceAppendMs);
  const leftMs = (beat?.leaseMs ?? leaseMs) - silentMs;
  if (leftMs <= 0) return undefined;
  return { owner: writer.owner, activeAtMs: nowMs - silentMs, freeAtMs: nowMs + leftMs };
}

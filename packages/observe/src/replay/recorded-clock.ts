import { createTimers } from "@palimpsest/provider-simulator";

/** A clock that runs through a recording: it moves only when it is told to. */
export interface RecordedClock {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Moves to a time of the recording, from timer to timer; at each it waits until all triggered work has settled. */
  advanceTo(recordedMs: number): Promise<void>;
  /** Moves from timer to timer until the work is done. All that follows in the recording happens that much later. */
  settle<Result>(work: Promise<Result>): Promise<{ readonly result: Result; readonly tookMs: number }>;
}

/** Work that needs no timer is done after so many turns of the event loop, or never. */
const MOST_TURNS = 10_000;
/** Work may go on for some turns of the event loop before it waits for a timer. */
const TURNS_BEFORE_TIMER = 3;

/** @param atRest resolves when nothing is running but waiting */
export function recordedClock(startMs: number, atRest: () => Promise<void>): RecordedClock {
  let nowMs = startMs;
  /** How far the replay is behind the recording. */
  let lateMs = 0;
  const timers = createTimers();
  /** A stable sort: of timers for the same time, the one that was set first. */
  const nextTimer = () => timers.pending().toSorted((left, right) => left.atMs - right.atMs)[0];
  return {
    now: () => nowMs,
    wait(ms, signal) {
      if (ms <= 0 || signal?.aborted) return Promise.resolve();
      return timers.set({ atMs: nowMs + ms }, signal);
    },
    async advanceTo(recordedMs) {
      const atMs = recordedMs + lateMs;
      for (;;) {
        const next = nextTimer();
        if (next === undefined || next.atMs > atMs) break;
        nowMs = Math.max(nowMs, next.atMs);
        next.ring();
        await atRest();
      }
      nowMs = Math.max(nowMs, atMs);
    },
    async settle(work) {
      const startedMs = nowMs;
      let isDone = false;
      const end = (): void => {
        isDone = true;
      };
      work.then(end, end);
      let turns = 0;
      while (!isDone) {
        await atRest();
        turns++;
        if (isDone || turns < TURNS_BEFORE_TIMER) continue;
        const next = nextTimer();
        if (next === undefined) {
          if (turns > MOST_TURNS) throw new Error("The replay waits for something that no timer will end.");
          continue;
        }
        nowMs = Math.max(nowMs, next.atMs);
        next.ring();
        turns = 0;
      }
      lateMs += nowMs - startedMs;
      return { result: await work, tookMs: nowMs - startedMs };
    },
  };
}

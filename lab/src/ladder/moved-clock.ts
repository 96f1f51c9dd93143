import { globSync } from "node:fs";
import type { Clock } from "@palimpsest/provider-simulator";

/** The clock of a scenario: the time of this machine, moved ahead. The simulator reads it, and programs start with it. */
export interface MovedClock extends Clock {
  advance(byMs: number): void;
  /** Variables with which a program starts at the moved time. */
  environment(): Readonly<Record<string, string>>;
}

const LIBRARY = "/usr/lib/*/faketime/libfaketimeMT.so.1";

/** Creates a clock that has not been moved yet. */
export function movedClock(): MovedClock {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    advance(byMs) {
      aheadMs += byMs;
    },
    environment(): Readonly<Record<string, string>> {
      if (aheadMs === 0) return {};
      const aheadSeconds = Math.round(aheadMs / 1_000);
      // Timers run on the monotonic clock, which keeps its speed and its start.
      return { LD_PRELOAD: findLibrary(), FAKETIME: `+${aheadSeconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
    },
  };
}

function findLibrary(): string {
  const [library] = globSync(LIBRARY);
  if (library !== undefined) return library;
  throw new Error(`No file matches ${LIBRARY}. Install libfaketime (on Debian and Ubuntu: apt-get install faketime).`);
}

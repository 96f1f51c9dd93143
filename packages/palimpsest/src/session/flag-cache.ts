import type { Emit } from "../session-event.ts";
import { type FlagClient, type FlagReading, readFlags } from "../settings/read-flags.ts";
import type { SettingProblem } from "../settings/resolve.ts";
import type { SettingName } from "../settings/settings.ts";
import type { Clock } from "./clock.ts";

export interface FlagCacheOptions {
  readonly client: FlagClient;
  readonly deadlineMs: number;
  readonly clock: Required<Clock>;
  readonly emit: Emit;
}

export interface CachedFlags {
  /** By the names of settings: what the service says, or said when it last answered. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly SettingProblem[];
}

export interface FlagCache {
  read(): Promise<CachedFlags>;
}

/** A question that has had no answer for so long is given up, and asked again. */
const GIVE_UP_MS = 60_000;

/** What a flag service said last. While it fails its values hold, and a turn waits for it no longer than once. */
export function createFlagCache({ client, deadlineMs, clock, emit }: FlagCacheOptions): FlagCache {
  const known = new Map<SettingName, unknown>();
  let problems: readonly SettingProblem[] = [];
  let asked: { readonly answer: Promise<ReadonlyMap<SettingName, FlagReading>>; readonly atMs: number } | undefined;
  let failingSinceMs: number | undefined;

  /** Undefined if there is no answer in time. The question stays open then, and the next turn looks whether it was answered. */
  async function ask(): Promise<ReadonlyMap<SettingName, FlagReading> | undefined> {
    if (asked === undefined || clock.now() - asked.atMs > GIVE_UP_MS) {
      asked = { answer: readFlags(client), atMs: clock.now() };
    }
    const { answer, atMs } = asked;
    const inTime = new AbortController();
    const late = clock.wait(Math.max(0, atMs + deadlineMs - clock.now()), inTime.signal).then(() => undefined);
    const readings = await Promise.race([answer, late]);
    inTime.abort();
    if (readings !== undefined) asked = undefined;
    return readings;
  }

  function remember(readings: ReadonlyMap<SettingName, FlagReading>): void {
    const unusable: SettingProblem[] = [];
    for (const [name, reading] of readings) {
      if (reading.kind === "failed") continue;
      if (reading.kind === "value") known.set(name, reading.value);
      else known.delete(name);
      if (reading.kind === "unusable") unusable.push(toProblem(name, reading.because));
    }
    problems = unusable;
  }

  function note(failures: readonly string[]): void {
    const [because] = failures;
    if (because === undefined) {
      if (failingSinceMs !== undefined) emit({ kind: "flags-recovered", afterMs: clock.now() - failingSinceMs });
      failingSinceMs = undefined;
    } else if (failingSinceMs === undefined) {
      failingSinceMs = clock.now();
      emit({ kind: "flags-failed", because, held: known.size });
    }
  }

  return {
    async read() {
      const readings = await ask();
      if (readings !== undefined) remember(readings);
      note(
        readings === undefined
          ? [`no answer within ${deadlineMs} ms`]
          : [...readings.values()].flatMap((reading) => (reading.kind === "failed" ? [reading.because] : [])),
      );
      return { values: Object.fromEntries(known), problems };
    },
  };
}

function toProblem(name: SettingName, because: string): SettingProblem {
  const message = `Flag "palimpsest.${name}" in the flag service cannot be used: ${because}.`;
  return { source: "flags", name, value: undefined, message };
}

// Shows that a store is alive while it has logs open for writing, and decides whether a writer still owns its log.

import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Owner, type Place, processState, silenceMs, thisProcess } from "../owner.ts";
import type { BusyWriter } from "../store.ts";
import { createPrivateFolder, isMissing } from "./files.ts";
import type { Writer } from "./log.ts";

/**
 * Keeps one small file up to date that shows that a store is alive. The file covers all open logs of the store, so ten thousand logs
 * cost one write in ten seconds.
 */
export function createHeartbeat({ folder, place, leaseMs, repeat }: HeartbeatOptions): Heartbeat {
  const name = randomUUID();
  const beats = folderOfBeats(folder);
  const path = join(beats, name);
  const text = (): string => JSON.stringify({ ...thisProcess(place), leaseMs } satisfies Beat).padEnd(BEAT_BYTES);
  let open = 0;
  let stop: (() => void) | undefined;

  function begin(): void {
    createPrivateFolder(beats);
    writeFileSync(path, text(), { mode: 0o600 });
    // The umask reduces the mode of a new file.
    chmodSync(path, 0o600);
  }

  function beat(): void {
    try {
      writeOver(path, text());
    } catch (error) {
      // Creates the file again if it was removed. The next beat retries after other failures. A store that was silent for its whole
      // lease may be replaced, and learns about that when it writes.
      if (isMissing(error)) attempt(begin);
    }
  }

  return {
    name,
    enter() {
      open++;
      if (stop !== undefined || leaseMs <= 0) return;
      removeLeftBehind(beats);
      // Another store may have removed the empty folder at the same time, so try twice.
      if (attempt(begin) !== undefined) begin();
      stop = repeat(Math.min(leaseMs / BEATS_PER_LEASE, MAX_BETWEEN_MS), beat);
    },
    leave() {
      open--;
      if (open > 0) return;
      stop?.();
      stop = undefined;
      attempt(() => rmSync(path, { force: true }));
      // Fails while other stores have files in the folder.
      attempt(() => rmdirSync(beats));
    },
  };
}

interface Heartbeat {
  /** The name that this store records in the logs that it writes. */
  readonly name: string;
  /** Call it for each opened writer. The first writer starts the heartbeat. */
  enter(): void;
  /** Call it for each closed writer. The last writer stops the heartbeat. */
  leave(): void;
}

interface HeartbeatOptions {
  /** The folder of the store. */
  readonly folder: string;
  readonly place: Place;
  readonly leaseMs: number;
  /** Calls `work` repeatedly, until the returned function is called. */
  readonly repeat: (everyMs: number, work: () => void) => () => void;
}

const NAME = /^[0-9a-f-]{36}$/;
/** All beats have the same length, so that a new beat overwrites the old one and needs no space on a full disk. */
const BEAT_BYTES = 512;
/** With several beats per lease, one missed or late beat has no effect. */
const BEATS_PER_LEASE = 3;
/** Timers are limited to 24 days, and observers expect regular beats. */
const MAX_BETWEEN_MS = 60_000;
/** Files of killed processes are kept for this long, because they show at once that the logs are free. */
const LEFT_BEHIND_MS = 86_400_000;

function removeLeftBehind(beats: string): void {
  attempt(() => {
    for (const name of readdirSync(beats)) {
      const path = join(beats, name);
      if (NAME.test(name) && Date.now() - statSync(path).mtimeMs > LEFT_BEHIND_MS) rmSync(path, { force: true });
    }
  });
}

function writeOver(path: string, text: string): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
}

function attempt(work: () => void): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Reads the state of a store by its name; undefined if its file is gone or cannot be read. */
export function readBeat(folder: string, name: string): Beat | undefined {
  if (!NAME.test(name)) return undefined;
  try {
    const read = JSON.parse(readFileSync(join(folderOfBeats(folder), name), "utf8")) as Beat;
    return Number.isFinite(read.renewedAtMs) && Number.isFinite(read.leaseMs) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** The content of a heartbeat file. */
interface Beat extends Owner {
  /** How long the store still counts as alive after this beat. */
  readonly leaseMs: number;
}

function folderOfBeats(folder: string): string {
  return join(folder, "writers");
}

/**
 * Returns the writer that owns a log; undefined if the log is free. A writer is alive as long as its store's heartbeat or its appends
 * show activity. If the system can tell that the writer's process has ended, the log is free at once.
 */
export function findOwner(
  writer: Writer,
  beat: Beat | undefined,
  { place, leaseMs }: WriterLeaseOptions,
): BusyWriter | undefined {
  if (writer.state === "closed" || (beat !== undefined && processState(beat, place) === "gone")) return undefined;
  const nowMs = place.clock.now();
  const sinceAppendMs = nowMs - writer.activeAtMs;
  // Without a heartbeat (the file was removed, or the store has a lease of 0), only the last append shows activity. An append in the
  // future (a clock was turned back) may be of a writer that is alive.
  const silentMs =
    beat === undefined
      ? Math.max(0, sinceAppendMs)
      : Math.min(silenceMs(beat, place), sinceAppendMs < 0 ? Number.POSITIVE_INFINITY : sinceAppendMs);
  const leftMs = (beat?.leaseMs ?? leaseMs) - silentMs;
  if (leftMs <= 0) return undefined;
  return { owner: writer.owner, activeAtMs: nowMs - silentMs, freeAtMs: nowMs + leftMs };
}

interface WriterLeaseOptions {
  readonly place: Place;
  /** The lease of the reading store. A writer with a heartbeat has its own lease. */
  readonly leaseMs: number;
}

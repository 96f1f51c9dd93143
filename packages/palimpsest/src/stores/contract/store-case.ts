// The place, the clock and the helpers for the cases of the store contract.

import assert from "node:assert/strict";
import { type Draft, EMPTY_LOG, type Entry, type LogHead, sealEntries, toDraft } from "../../log/entry.ts";
import { sha256 } from "../sha256.ts";
import type { LogReader, LogWriter, OpenWriterOptions, Store } from "../store.ts";

/** A place where a store keeps logs, with a clock that the test controls. */
export interface StorePlace {
  /**
   * Opens a store of this place. A later call opens another store of the same place, or returns the same store if there cannot be
   * two.
   */
  open(): Promise<Store>;
  /** Moves the clock forward or back. Due work, such as renewing leases, is done when this resolves. */
  advanceClock(byMs: number): void | Promise<void>;
  /**
   * Moves the clock while the stores of this place do not run, as in a suspended process. Leave it out if a writer and its
   * competitors are always in one process.
   */
  stall?(byMs: number): void | Promise<void>;
  /** The lease of the stores of this place. */
  readonly leaseMs: number;
  /** Called at the end of a case, whether it passed or not. */
  remove(): Promise<void>;
}

/** Runs one case of the contract on a store over a new place. */
export type StoreCheck = (name: string, run: (context: StoreCase) => Promise<void>) => void;

interface StoreCase {
  readonly store: Store;
  readonly place: StorePlace;
}

export async function openWriter(
  store: Store,
  session: string,
  options: Partial<OpenWriterOptions> = {},
): Promise<LogWriter> {
  const result = await store.openWriter(session, { owner: "test", ...options });
  assert.ok(result.kind === "opened", `the log is busy: ${JSON.stringify(result)}`);
  return result.writer;
}

export async function openReader(
  store: Store,
  session: string,
): Promise<NonNullable<Awaited<ReturnType<Store["openReader"]>>>> {
  const reader = await store.openReader(session);
  assert.ok(reader !== undefined, "the log does not exist");
  return reader;
}

export async function sequences(reader: LogReader, query: string): Promise<readonly number[]> {
  return (await reader.search(query, { limit: 9 })).map(({ sequence }) => sequence);
}

export function messageDraft(text: string): Draft {
  return toDraft("message", { role: "user", origin: "human", blocks: [{ kind: "text", text }] });
}

export function draft(kind: string, text: string = kind): Draft {
  return { kind, version: 1, payload: JSON.stringify({ text }) };
}

export function seal(drafts: readonly Draft[], head: LogHead = EMPTY_LOG): Entry[] {
  return sealEntries(drafts, { head, atMs: 1_700_000_000_000, digest: sha256 });
}

export function headOf(entries: readonly Entry[]): LogHead {
  const { sequence, hash } = entries.at(-1) ?? EMPTY_LOG;
  return { sequence, hash };
}

/** Stores a small result, and returns its name. */
export async function keepResult(store: Store, session: string): Promise<string> {
  const file = await store.results.create(session);
  await file.write(new TextEncoder().encode(`a result of ${session}`));
  return (await file.keep("txt")).file;
}

/** A clock that the test controls, for `sqliteStore` or a store in another package. */
export interface ManualStoreClock {
  now(): number;
  repeat(everyMs: number, work: () => void | Promise<void>): () => void;
  /** Lets time pass, and runs due work. */
  advance(byMs: number): Promise<void>;
  /** Lets time pass, and runs nothing. */
  stall(byMs: number): void;
}

/** Creates a clock that the test controls, with timers whose work is awaited. */
export function manualStoreClock(): ManualStoreClock {
  let nowMs = 1_700_000_000_000;
  const repeated = new Set<{ readonly everyMs: number; dueAtMs: number; readonly work: () => void | Promise<void> }>();
  return {
    now: () => nowMs,
    repeat(everyMs, work) {
      const one = { everyMs, dueAtMs: nowMs + everyMs, work };
      repeated.add(one);
      return () => void repeated.delete(one);
    },
    async advance(byMs) {
      const endMs = nowMs + byMs;
      for (;;) {
        const [next] = [...repeated].filter(({ dueAtMs }) => dueAtMs <= endMs).sort((a, b) => a.dueAtMs - b.dueAtMs);
        if (next === undefined) break;
        nowMs = Math.max(nowMs, next.dueAtMs);
        next.dueAtMs = nowMs + next.everyMs;
        await next.work();
      }
      nowMs = endMs;
    },
    stall(byMs) {
      nowMs += byMs;
    },
  };
}

import { collectResults, type Store } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";

export interface CollectingOptions {
  readonly store: Store;
  readonly session: Pick<AgentSession, "settings" | "events">;
  /** @default the system's clock */
  readonly clock?: { now(): number };
}

export interface Collecting {
  /** Starts once, in the background. */
  begin(): void;
  /** Waits a short time for the end; the rest is removed next time. */
  close(): Promise<void>;
}

/** A delay at exit that a person does not notice. */
const CLOSING_MS = 500;

const DAY_MS = 86_400_000;
const MEGABYTE = 1_000_000;

/** Removes stored results of old sessions of the project. Emits an event if some were removed or could not be removed. */
export function collectOldResults({ store, session, clock = { now: Date.now } }: CollectingOptions): Collecting {
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function collect(): Promise<void> {
    const { settings } = session.settings();
    const { removed, failures } = await collectResults(store, {
      nowMs: clock.now(),
      maxAgeMs: settings["toolResults.keptDays"] * DAY_MS,
      maxBytes: settings["toolResults.keptMegabytes"] * MEGABYTE,
      signal: closing.signal,
    });
    if (removed.length > 0 || failures.length > 0) {
      const bytes = removed.reduce((sum, one) => sum + one.bytes, 0);
      emit(removed.length, bytes, failures.length, failures[0]?.error);
    }
  }

  function emit(sessions: number, bytes: number, failures: number, error: unknown): void {
    const because = error instanceof Error ? { error: error.message } : {};
    session.events.emit({ kind: "results-collected", sessions, bytes, failures, ...because });
  }

  return {
    begin() {
      running ??= collect().catch((error: unknown) => emit(0, 0, 1, error));
    },
    async close() {
      const timer = setTimeout(() => closing.abort(), CLOSING_MS);
      await running;
      clearTimeout(timer);
    },
  };
}

import type { CoordinationConnection } from "../coordination-connection.ts";
import type { CoordinationFile } from "../coordination-file.ts";
import { DEFAULT_RUN_QUEUE, type Run, type RunQueue, type TakenRuns, type TakenTo } from "./run-queue.ts";
import {
  type BegunRun,
  beginRun,
  type DueSession,
  finishRun,
  giveBackRun,
  type HeldSession,
  holdSession,
  promoteReminders,
  readDue,
  readSent,
  renewRun,
  setAside,
} from "./run-rows.ts";
import type { WorkWait } from "./wait-for-work.ts";

export interface SqliteRunQueueOptions {
  readonly file: CoordinationFile;
  readonly clock: { now(): number };
  readonly silentAfterMs: number;
  readonly maxAttempts: number;
  /** The number of the newest entry in a session's log; 0 if there is none. */
  headOf(session: string): Promise<number>;
  readonly work: WorkWait;
  ring(): void;
}

/** All sessions of a file belong to one tenant. */
const LOCAL_TENANT = "local";

export function createSqliteRunQueue(options: SqliteRunQueueOptions): RunQueue {
  const { file, clock, silentAfterMs, maxAttempts, headOf, work } = options;

  async function begin(held: HeldSession): Promise<readonly Run[]> {
    const headEntry = await headOf(held.session);
    const begun = await file.write((connection) => {
      // The attempt is not counted yet.
      const kept = renewRun(connection, { ...held, attempt: 0 }, clock.now() + silentAfterMs);
      return kept && beginRun(connection, { ...held, headEntry });
    });
    return begun === undefined ? [] : [createRun(options, held, begun)];
  }

  /** Takes the sessions that `find` returns, in one transaction. Some may have no run: what they were to be reminded of is stale. */
  async function hold(
    taken: { readonly to: TakenTo; readonly from: number },
    find: (connection: CoordinationConnection, nowMs: number) => readonly DueSession[],
  ): Promise<TakenRuns> {
    const { held, poisoned } = await file.write((connection) => {
      const nowMs = clock.now();
      const due = find(connection, nowMs);
      const isPoisoned = ({ attempts }: DueSession): boolean => attempts >= maxAttempts;
      const poisoned = due.filter(isPoisoned).map(({ session }) => ({ tenant: LOCAL_TENANT, session }));
      for (const { session } of poisoned) setAside(connection, session, nowMs);
      const held = due
        .filter((each) => !isPoisoned(each))
        .map((each) => holdSession(connection, each, { ...taken, untilMs: nowMs + silentAfterMs }));
      return { held, poisoned };
    });
    const runs: Run[] = [];
    for (const each of held) runs.push(...(await begin(each)));
    return { runs, setAside: poisoned };
  }

  return {
    async take({ limit = DEFAULT_RUN_QUEUE.limit, to = "run" } = {}) {
      work.looking();
      for (;;) {
        let due: readonly DueSession[] = [];
        const taken = await hold({ to, from: 0 }, (connection, nowMs) => {
          promoteReminders(connection, nowMs);
          due = readDue(connection, nowMs, limit);
          return due;
        });
        // Sessions without a run must not hide those behind them.
        if (due.length === 0 || taken.runs.length + taken.setAside.length > 0) return taken;
      }
    },
    takeOver: ({ session }, { from }) =>
      hold({ to: "run", from }, (connection, nowMs) => {
        const found = readSent(connection, { session, from, nowMs });
        return found === undefined ? [] : [found];
      }),
    wait: ({ signal } = {}) => work.wait(signal),
  };
}

function createRun(
  { file, clock, silentAfterMs, ring }: SqliteRunQueueOptions,
  held: HeldSession,
  { version, reminders }: BegunRun,
): Run {
  const { session, run, attempt } = held;
  return {
    tenant: LOCAL_TENANT,
    session,
    number: run,
    attempt,
    reminders,
    renew: () =>
      file.write((connection) => {
        const kept = renewRun(connection, held, clock.now() + silentAfterMs);
        return kept === undefined ? "lost" : kept.version > version ? "woken" : "held";
      }),
    async finish() {
      const outcome = await file.write((connection) =>
        finishRun(connection, { session, run, version, nowMs: clock.now() }),
      );
      if (outcome === "woken") ring();
      return outcome;
    },
    fail: ({ why, retryAfterMs }) =>
      file.write((connection) => giveBackRun(connection, held, { dueAtMs: clock.now() + retryAfterMs, failure: why })),
    async release({ afterMs = 0 } = {}) {
      const outcome = await file.write((connection) => {
        const nowMs = clock.now();
        return giveBackRun(connection, held, { dueAtMs: nowMs + afterMs, unlessWoken: { version, nowMs } });
      });
      ring();
      return outcome;
    },
  };
}

import type { Run, RunQueue, SessionTarget, TakenRuns } from "@palimpsest/coordination";
import { DEFAULT_RUN_QUEUE, type WorkWait } from "@palimpsest/coordination/parts";
import type { Database, Row } from "../database.ts";
import type { Notifier } from "./notifier.ts";

export interface PostgresRunQueueOptions {
  readonly database: Database;
  readonly silentAfterMs: number;
  readonly maxAttempts: number;
  readonly work: WorkWait;
  readonly notifier: Notifier;
  nowMs(): number | null;
}

interface TakenSession extends SessionTarget {
  readonly number: number;
  readonly attempt: number;
}

/** Takes by the one function that crosses tenants; what a run is about is read as its tenant. */
export function createPostgresRunQueue(options: PostgresRunQueueOptions): RunQueue {
  const { database, silentAfterMs, maxAttempts, work, nowMs } = options;
  // The next tenant's turn: each worker goes around on its own.
  let lastTenant = "";
  return {
    async take({ limit = DEFAULT_RUN_QUEUE.limit, to = "run" } = {}) {
      work.looking();
      for (;;) {
        const values = [limit, lastTenant, to, maxAttempts, silentAfterMs, nowMs()];
        const rows = await database.call("take_wakeups", values);
        lastTenant = String(rows.at(-1)?.["tenant"] ?? "");
        const taken = await beginAll(options, rows);
        // A session has no run if what it was to be reminded of is stale: it must not hide those behind it.
        if (rows.length === 0 || taken.runs.length + taken.setAside.length > 0) return taken;
      }
    },
    async takeOver({ tenant, session }, { from }) {
      const values = [tenant, session, from, maxAttempts, silentAfterMs, nowMs()];
      return beginAll(options, await database.call("take_over_wakeup", values));
    },
    wait: ({ signal } = {}) => work.wait(signal),
  };
}

async function beginAll(options: PostgresRunQueueOptions, rows: readonly Row[]): Promise<TakenRuns> {
  const taken = rows.map((row) => ({
    tenant: String(row["tenant"]),
    session: String(row["session"]),
    number: Number(row["run"] ?? Number.NaN),
    attempt: Number(row["attempt"]),
  }));
  const isRun = ({ number }: TakenSession): boolean => !Number.isNaN(number);
  const runs = await Promise.all(taken.filter(isRun).map((each) => begin(options, each)));
  const setAside = taken.filter((each) => !isRun(each)).map(({ tenant, session }) => ({ tenant, session }));
  return { runs: runs.flat(), setAside };
}

async function begin(options: PostgresRunQueueOptions, taken: TakenSession): Promise<readonly Run[]> {
  const { tenant, session, number } = taken;
  const rows = await options.database.call("begin_run", [tenant, session, number]);
  const [first] = rows;
  return first === undefined ? [] : [createRun(options, taken, first, rows)];
}

function createRun(
  { database, silentAfterMs, notifier, nowMs }: PostgresRunQueueOptions,
  { tenant, session, number, attempt }: TakenSession,
  { version }: Row,
  rows: readonly Row[],
): Run {
  const call = async (name: string, ...values: readonly unknown[]): Promise<unknown> =>
    (await database.call(name, [tenant, session, number, ...values]))[0]?.[name];
  const giveBack = async (afterMs: number, failure: string | null): Promise<"waiting" | "lost"> => {
    const isGivenBack = (await call("give_back_run", attempt, version, afterMs, failure, nowMs())) === true;
    // Without a failure it may be due at once, whatever the time: it is if it was woken meanwhile.
    if (failure === null || afterMs <= 0) notifier.ring("work");
    return isGivenBack ? "waiting" : "lost";
  };
  return {
    tenant,
    session,
    number,
    attempt,
    reminders: rows.flatMap(({ key, reason, due_at_ms: dueAtMs }) =>
      key === null ? [] : [{ key: String(key), reason: String(reason), dueAtMs: Number(dueAtMs) }],
    ),
    renew: async () => (await call("keep_run", attempt, version, silentAfterMs, nowMs())) as "held" | "woken" | "lost",
    async finish() {
      const outcome = (await call("finish_run", version, nowMs())) as "finished" | "woken" | "lost";
      if (outcome === "woken") notifier.ring("work");
      return outcome;
    },
    fail: ({ why, retryAfterMs }) => giveBack(retryAfterMs, why),
    release: ({ afterMs = 0 } = {}) => giveBack(afterMs, null),
  };
}

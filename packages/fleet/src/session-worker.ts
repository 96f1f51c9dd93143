import type { Dispatch, SessionInbox } from "@palimpsest/coordination";
import { type Session, SessionLostError, type Store, type TurnStep } from "palimpsest";
import type { FleetTelemetry, RunTelemetry } from "palimpsest/telemetry";
import { createInputs } from "./inputs.ts";
import { newestEntryOf } from "./newest-entry-of.ts";
import { createOpenSessions } from "./open-sessions.ts";
import { reportSetAside } from "./report-set-aside.ts";
import { runTimers } from "./run-timers.ts";
import { runTurns, type TurnOptions, takeOne } from "./run-turns.ts";
import type { SessionTarget, Work, WorkOutcome, WorkRun } from "./scheduler.ts";
import { dueTimers, type SessionTimer, setTimers } from "./session-timer.ts";
import { tracedInbox } from "./traced-inbox.ts";
import { UNSEEN_RUN } from "./unseen-run.ts";

/** How a worker opens sessions, and what their turns need. */
export interface SessionWorkerOptions {
  /** Opens a session, with `takeover: "always"`: a worker that had it before cannot write any more. */
  open(target: SessionTarget): Promise<Session>;
  /** The logs of a tenant: those that `open` uses. */
  store(tenant: string): Pick<Store, "openReader">;
  /** The inboxes, approvals, events and schedule of a tenant. */
  dispatch(tenant: string): Dispatch;
  /** Called for each run. @default everything is allowed, with the tools that the session has */
  turn?(session: Session, target: SessionTarget, context: TurnContext): TurnOptions;
  /** @default none */
  readonly timers?: readonly SessionTimer[];
  /** A question that nobody answers for this long counts as denied. @default questions stay open */
  readonly questionsExpireAfterMs?: number;
  /** How many sessions that do not run stay open here, so that their logs are not read again. @default 200 */
  readonly keepOpen?: number;
  /**
   * Makes spans and metrics of what the worker does: `fleetTelemetry` of `palimpsest/telemetry`. Let `open` pass `telemetry.onEvent(target)` to
   * the session as `onEvent`. @default nothing is observed
   */
  readonly telemetry?: FleetTelemetry;
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** Receives errors that do not end a run. @default none */
  readonly onError?: (error: unknown, target: SessionTarget) => void;
}

/** What the turn of a session gets from its worker. */
export interface TurnContext {
  /** The inboxes of the tenant, for `agentTool` and `startAgent`. What is added to them here belongs to the trace of the turn. */
  readonly inbox: SessionInbox;
}

/** `stop` ends the turn; `left` ends this step and leaves the turn to another worker. */
export interface StepSignals {
  /** Ends the turn for the user: its open calls are answered. */
  readonly stop?: AbortSignal;
  /** The worker has lost its right to the session: it writes nothing more. */
  readonly left?: AbortSignal;
}

/** Runs any session, from its log alone. It keeps nothing but a cache of open sessions, which may be wrong. */
export interface SessionWorker {
  /** Takes one step of the session's turn, for a loop of your own. */
  step(target: SessionTarget, signals?: StepSignals): Promise<TurnStep>;
  /** Runs a session until there is nothing to do, or its turn waits for somebody: for `scheduler.serve`. */
  readonly run: Work;
  /** Reports to those who wait for a session that it was set aside: for `onSetAside` of `scheduler.serve`. */
  setAside(target: SessionTarget): Promise<void>;
  /** Closes the sessions that are open here. */
  close(): Promise<void>;
}

const DEFAULT_KEEP_OPEN = 200;

/** Creates a worker that runs the steps of any session that it is given. */
export function createSessionWorker(options: SessionWorkerOptions): SessionWorker {
  const { open, store, dispatch, turn = () => ({}), timers = [], clock = { now: Date.now } } = options;
  const { keepOpen = DEFAULT_KEEP_OPEN, questionsExpireAfterMs, telemetry, onError } = options;
  const sessions = createOpenSessions({ open, store, keepOpen });
  const stopObserving = telemetry?.observeOpenSessions(sessions.count);

  async function runSession(run: WorkRun, seen: RunTelemetry): Promise<WorkOutcome> {
    const { tenant, session: id, left } = run;
    const target = { tenant, session: id };
    const ports = dispatch(tenant);
    const inbox = tracedInbox(ports.inbox, seen.traceparent);
    try {
      const { schedule } = ports;
      const logs = store(tenant);
      await runTimers(run, { timers, sessions, store: logs, schedule, clock, onError });
      // A session that was deleted does not begin anew because it is woken, only if somebody says something to it.
      const isSpokenTo = (await inbox.read(id, { limit: 1 })).length > 0;
      if (!isSpokenTo && (await newestEntryOf(logs, id)) === undefined) return { kind: "ended" };
      // To open a session takes it from whoever has it now.
      if (!(await run.isHeld())) return { kind: "left" };
      return await sessions.use(target, left, async (session) => {
        const before = session.history.newestEntry;
        const outcome = await runTurns(session, run, {
          dispatch: { ...ports, inbox },
          turn: turn(session, target, { inbox }),
          isCurrent: () => sessions.isCurrent(target, session),
          seen,
          clock,
          questionsExpireAtMs: questionsExpireAfterMs === undefined ? undefined : clock.now() + questionsExpireAfterMs,
          onError: onError === undefined ? undefined : (error: unknown) => onError(error, target),
        });
        const { newestEntry } = session.history;
        // Also if nothing was written: an earlier run may have died before it set them. Not if a timer is why it ran.
        const isTimed = dueTimers(timers, run).length > 0 && newestEntry === before;
        if (outcome.kind === "ended" && !isTimed)
          await setTimers(timers, { session: id, newestEntry, activeAtMs: clock.now() }, schedule);
        return outcome;
      });
    } catch (error) {
      // Whoever has the session now continues it; if nobody does, it runs again.
      if (left.aborted || SessionLostError.isInstance(error)) return { kind: "left" };
      throw error;
    }
  }

  return {
    step(target, { stop, left = new AbortController().signal } = {}) {
      return sessions.use(target, left, (session) => {
        const { inbox } = dispatch(target.tenant);
        const signals = stop === undefined ? { left } : { left, signal: stop };
        const { during } = createInputs(session, inbox);
        return takeOne(session, { ...turn(session, target, { inbox }), ...signals, inbox: during }, () => undefined);
      });
    },
    async run(run) {
      const seen = telemetry?.beginRun(run) ?? UNSEEN_RUN;
      try {
        const outcome = await runSession(run, seen);
        seen.tell({ kind: "run-ended", outcome: outcome.kind });
        return outcome;
      } catch (error) {
        seen.tell({ kind: "run-ended", outcome: "failed", error });
        throw error;
      }
    },
    setAside({ tenant, session }) {
      telemetry?.setAside();
      return reportSetAside(session, dispatch(tenant).inbox);
    },
    close() {
      stopObserving?.();
      return sessions.close();
    },
  };
}

import { type Dispatch, publishEvents, settleQuestions } from "@palimpsest/coordination";
import {
  type QueryEvent,
  type QueryOptions,
  type Session,
  SessionLostError,
  stepTurn,
  type TurnStep,
} from "palimpsest";
import type { RunTelemetry } from "palimpsest/telemetry";
import { createInputs, type Inputs, QUEUE, type TurnReport } from "./inputs.ts";
import { postponedBy } from "./postpone.ts";
import type { WorkOutcome, WorkRun } from "./scheduler.ts";
import { tellTurnEvent } from "./tell-turn-event.ts";

/** Options of the steps of a session's turns: tools, permission, retries, limits. */
export type TurnOptions = Omit<QueryOptions, "prompt" | "maxRounds" | "afterTurn" | "signal" | "left" | "inbox">;

export interface RunTurnsOptions {
  readonly dispatch: Dispatch;
  readonly turn: TurnOptions;
  /** Whether the log has nothing that the session does not know. */
  isCurrent(): Promise<boolean>;
  /** From then on a question that is asked now counts as denied. */
  readonly questionsExpireAtMs?: number;
  /** Observes the run. */
  readonly seen: RunTelemetry;
  readonly clock: { now(): number };
  readonly onError?: (error: unknown) => void;
}

/** How a run ended, for those who watch the session. It is published behind all other events of the run. */
export interface RunEnded {
  readonly kind: "run-ended";
  /** `idle`: there is nothing to do. `waiting`: for answers to questions. `blocked`: the window is full. */
  readonly state: "idle" | "waiting" | "blocked";
  readonly newestEntry: number;
}

type EndState = RunEnded["state"];

/** Runs a session from its log alone, until there is nothing to do or its turn waits for somebody. */
export async function runTurns(session: Session, run: WorkRun, options: RunTurnsOptions): Promise<WorkOutcome> {
  const { dispatch, isCurrent, seen, clock, onError } = options;
  const { inbox, events } = dispatch;
  const inputs = createInputs(session, inbox, {
    onTaken({ addedAtMs, traceparent }) {
      const waitedMs = Math.max(0, clock.now() - addedAtMs);
      seen.tell({ kind: "item-taken", waitedMs, traceparent });
    },
  });
  const told = onError === undefined ? {} : { onError };
  const publishing = publishEvents(session, events, { fence: run.number, ...told });
  const onEvent = (event: QueryEvent): void => {
    tellTurnEvent(seen, event);
    publishing.add(event);
  };
  const unlisten = run.onWoken(() => void inputs.lookForStop().catch((error: unknown) => onError?.(error)));
  try {
    const state = await runUntilIdle(session, run, { ...options, inputs, onEvent });
    if (run.left.aborted) return { kind: "left" };
    if (typeof state !== "string") return state;
    // That there is nothing to do may have been found in a session that somebody else has continued.
    if (!(await isCurrent())) throw new SessionLostError(session.id, "somebody else has continued it");
    if (state !== "waiting") await inputs.report(reportOn(session, state));
    const { newestEntry } = session.history;
    const ended: RunEnded = { kind: "run-ended", state, newestEntry };
    // Before the run is finished: whoever watches would wait for it in vain otherwise.
    if ((await publishing.flush()) === "fenced") return { kind: "left" };
    await events.publish(session.id, [ended], { fence: run.number, batch: `end ${run.number}` });
    return { kind: "ended" };
  } finally {
    unlisten();
    await publishing.stop().catch((error: unknown) => onError?.(error));
  }
}

interface UntilIdleOptions extends RunTurnsOptions {
  readonly inputs: Inputs;
  onEvent(event: QueryEvent): void;
}

async function runUntilIdle(
  session: Session,
  run: WorkRun,
  options: UntilIdleOptions,
): Promise<EndState | WorkOutcome> {
  const { inputs, dispatch, seen, questionsExpireAtMs } = options;
  const expiry = questionsExpireAtMs === undefined ? {} : { expiresAtMs: questionsExpireAtMs };
  for (;;) {
    await inputs.applyStops();
    await settleQuestions(session, dispatch.approvals, expiry);
    const state = idleState(session);
    if (state !== "busy") {
      seen.tell({ kind: "turn-ended", state });
      if ((await inputs.takeAll()) === 0) return state;
      continue;
    }
    if (!seen.isInTurn()) await tellContinued(session, seen);
    const step = await takeSteps(session, run, options);
    if (step.kind === "left") return { kind: "left" };
    if (step.kind === "window-full") {
      seen.tell({ kind: "turn-ended", state: "blocked" });
      return "blocked";
    }
    if (step.kind === "failed") {
      const postponed = postponedBy(step.error);
      seen.tell({ kind: "postponed", reason: step.error.failure.kind });
      return postponed;
    }
  }
}

/** An earlier run had begun the turn: it continues in the trace of what was taken in last. */
async function tellContinued({ turn }: Session, { tell }: Pick<RunTelemetry, "tell">): Promise<void> {
  const { traceparent } = (await turn.taken(QUEUE)) ?? {};
  tell({ kind: "turn-continued", traceparent });
}

/** Takes steps for as long as the turn continues by itself. */
async function takeSteps(session: Session, run: WorkRun, options: UntilIdleOptions): Promise<TurnStep> {
  const { turn, inputs, seen, onEvent } = options;
  for (;;) {
    const startedAtMs = performance.now();
    const signals = { signal: inputs.stop, left: run.left };
    const step = await seen.within(() => takeOne(session, { ...turn, ...signals, inbox: inputs.during }, onEvent));
    seen.tell({ kind: "step-taken", step: step.kind, durationMs: performance.now() - startedAtMs });
    const continues = step.kind === "responded" || step.kind === "ran" || step.kind === "continued";
    if (!continues) return step;
    if (run.left.aborted) return { kind: "left", rounds: step.rounds };
  }
}

export async function takeOne(
  session: Session,
  options: Parameters<typeof stepTurn>[1],
  onEvent: UntilIdleOptions["onEvent"],
): Promise<TurnStep> {
  const turn = stepTurn(session, options);
  for (;;) {
    const { done, value } = await turn.next();
    if (done === true) return value;
    onEvent(value);
  }
}

/** From the log alone. `waiting`: all open calls wait for answers of people. */
function idleState({ turn }: Session): "idle" | "waiting" | "busy" {
  const next = turn.next();
  if (next.kind === "nothing") return "idle";
  return next.kind === "calls" && next.calls.every(({ step }) => step === "waiting") ? "waiting" : "busy";
}

function reportOn({ turn }: Session, state: Exclude<EndState, "waiting">): TurnReport {
  if (state === "blocked") return { outcome: "failed", text: "The agent's context window is full." };
  const next = turn.next();
  return { outcome: "done", text: next.kind === "nothing" ? next.text : "" };
}

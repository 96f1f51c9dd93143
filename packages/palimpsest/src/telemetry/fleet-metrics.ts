// The metrics of a fleet: runs and open sessions of one worker process, and the work of the whole fleet.
import type { Meter } from "@opentelemetry/api";
import { ATTRIBUTES as A, FLEET_METRICS as M } from "./names.ts";

/** Counters and histograms of one process. Attributes take few values: never a tenant or a session. */
export interface FleetMetrics {
  runEnded(outcome: string, durationMs: number): void;
  stepTaken(step: string, durationMs: number): void;
  itemTaken(waitedMs: number): void;
  turnContinued(why: string): void;
  postponed(reason: string): void;
  setAside(): void;
}

export function createFleetMetrics(meter: Meter): FleetMetrics {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries: [...SECONDS] } });
  const count = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const runs = count(M.runs, "{run}", "Runs of sessions on this worker, by how they ended.");
  const runDuration = seconds(M.runDuration, "Runs of sessions, from start to end.");
  const stepDuration = seconds(
    M.stepDuration,
    "Steps of turns: an exchange with the model, or the calls of a response.",
  );
  const waitDuration = seconds(M.waitDuration, "From a message being stored to a worker having it in the log.");
  const resumed = count(M.resumed, "{turn}", "Turns that an earlier run had begun: its worker is gone, or it waited.");
  const postponed = count(M.postponed, "{run}", "Runs that were put off because the provider is away, by reason.");
  const setAside = count(M.setAside, "{session}", "Sessions that failed too often and do not run any more.");
  return {
    runEnded(outcome, durationMs) {
      runs.add(1, { [A.outcome]: outcome });
      runDuration.record(durationMs / 1_000, { [A.outcome]: outcome });
    },
    stepTaken: (step, durationMs) => stepDuration.record(durationMs / 1_000, { [A.step]: step }),
    itemTaken: (waitedMs) => waitDuration.record(waitedMs / 1_000),
    turnContinued: (why) => resumed.add(1, { [A.continued]: why }),
    postponed: (reason) => postponed.add(1, { [A.reason]: reason }),
    setAside: () => setAside.add(1),
  };
}

/** From a look into the log to a tool that runs for an hour. */
const SECONDS: readonly number[] = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

/** Sessions that a worker has open. */
export interface OpenSessionCounts {
  /** Kept open between runs. */
  readonly idle: number;
  readonly running: number;
}

/** Observes the sessions that a worker has open, with every export. Returns a function that ends it. */
export function observeOpenSessions(meter: Meter, count: () => OpenSessionCounts): () => void {
  const open = meter.createObservableUpDownCounter(M.openSessions, {
    unit: "{session}",
    description: "Sessions that this worker has open.",
  });
  const observe: Parameters<typeof open.addCallback>[0] = (result) => {
    for (const [state, sessions] of Object.entries(count())) result.observe(sessions, { [A.state]: state });
  };
  open.addCallback(observe);
  return () => open.removeCallback(observe);
}

/** What a whole fleet has to do, as its database knows it. `overview` of `openPostgresDispatch` returns it, with more. */
export interface FleetCounts {
  readonly atMs: number;
  readonly queue: {
    /** Held by a worker that has renewed its run in time. */
    readonly running: number;
    /** To be run now, also because their worker is gone. */
    readonly due: number;
    /** To be run at a later time. */
    readonly later: number;
    readonly setAside: number;
    /** Since when the first of those that are due has been due. */
    readonly oldestDueAtMs?: number;
  };
  readonly inbox: { readonly items: number; readonly oldestAtMs?: number };
  readonly questions: { readonly open: number };
}

/** Observes the whole fleet, with every export. Every process that does it reports the same: show the highest. */
export function observeFleet(meter: Meter, overview: () => Promise<FleetCounts>): void {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description });
  const depth = gauge(M.queueDepth, "{session}", "Sessions that are to run or run, by state.");
  const age = gauge(M.queueAge, "s", "How long the first session that is due has waited for a worker.");
  const items = gauge(M.inboxItems, "{item}", "Messages that are not in their logs yet.");
  const inboxAge = gauge(M.inboxAge, "s", "How long the oldest of those messages has waited.");
  const questions = gauge(M.questions, "{question}", "Questions that wait for an answer of a person.");
  meter.addBatchObservableCallback(
    async (result) => {
      const { atMs, queue, inbox, questions: asked } = await overview();
      const since = (oldestMs = atMs): number => Math.max(0, atMs - oldestMs) / 1_000;
      const states = { running: queue.running, due: queue.due, later: queue.later, set_aside: queue.setAside };
      for (const [state, sessions] of Object.entries(states)) result.observe(depth, sessions, { [A.state]: state });
      result.observe(age, since(queue.oldestDueAtMs));
      result.observe(items, inbox.items);
      result.observe(inboxAge, since(inbox.oldestAtMs));
      result.observe(questions, asked.open);
    },
    [depth, age, items, inboxAge, questions],
  );
}

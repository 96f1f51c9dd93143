// The metrics of a fleet: runs and open sessions of one worker process, and the work of the whole fleet.

import type { Meter } from "@opentelemetry/api";
import { ATTRIBUTES as A, FLEET_METRICS as M } from "./names.ts";

/** The counters and histograms of one process. Attributes have few values: never a tenant or a session. */
export interface FleetMetrics {
  runEnded(outcome: string, durationMs: number): void;
  stepTaken(step: string, durationMs: number): void;
  itemTaken(waitedMs: number): void;
  turnContinued(why: string): void;
  postponed(reason: string): void;
  setAside(): void;
}

/** Creates the metrics of a worker process. */
export function createFleetMetrics(meter: Meter): FleetMetrics {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries: [...SECONDS] } });
  const count = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const runs = count(M.runs, "{run}", "Runs of sessions on this worker, by outcome.");
  const runDuration = seconds(M.runDuration, "The duration of runs.");
  const stepDuration = seconds(M.stepDuration, "The duration of steps: a model call, or the tool calls of a response.");
  const waitDuration = seconds(M.waitDuration, "The time from storing a message until a worker writes it to the log.");
  const resumed = count(M.resumed, "{turn}", "Turns that continue after an earlier run crashed or paused.");
  const postponed = count(
    M.postponed,
    "{run}",
    "Runs that were postponed because the provider was unavailable, by reason.",
  );
  const setAside = count(M.setAside, "{session}", "Sessions that were paused after too many failures.");
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

/** The boundaries range from a read of the log to a tool that runs for an hour. */
const SECONDS: readonly number[] = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

/** Sessions that a worker has open. */
export interface OpenSessionCounts {
  /** Sessions kept open between runs. */
  readonly idle: number;
  readonly running: number;
}

/** Reports the open sessions of a worker at every export. Returns a function that ends the observation. */
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

/** The work of a whole fleet, as counted in its database. `overview` of `openPostgresDispatch` returns these counts and more. */
export interface FleetCounts {
  readonly atMs: number;
  readonly queue: {
    /** Sessions that a worker runs and has renewed in time. */
    readonly running: number;
    /** Sessions to run now, including those whose worker is gone. */
    readonly due: number;
    /** Sessions to run at a later time. */
    readonly later: number;
    readonly setAside: number;
    /** The time since which the oldest due session has been due. */
    readonly oldestDueAtMs?: number;
  };
  readonly inbox: { readonly items: number; readonly oldestAtMs?: number };
  readonly questions: { readonly open: number };
}

/** Reports the work of the whole fleet at every export. All processes report the same values, so dashboards should show the maximum. */
export function observeFleet(meter: Meter, overview: () => Promise<FleetCounts>): void {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description });
  const depth = gauge(M.queueDepth, "{session}", "Sessions that run or are scheduled, by state.");
  const age = gauge(M.queueAge, "s", "How long the oldest due session has waited for a worker.");
  const items = gauge(M.inboxItems, "{item}", "Messages that are not in the logs of their sessions yet.");
  const inboxAge = gauge(M.inboxAge, "s", "How long the oldest message that is not in a log has waited.");
  const questions = gauge(M.questions, "{question}", "Questions that wait for a person's answer.");
  meter.addBatchObservableCallback(
    async (result) => {
      const { atMs, queue, inbox, questions: pending } = await overview();
      const since = (oldestMs = atMs): number => Math.max(0, atMs - oldestMs) / 1_000;
      const states = { running: queue.running, due: queue.due, later: queue.later, set_aside: queue.setAside };
      for (const [state, sessions] of Object.entries(states)) result.observe(depth, sessions, { [A.state]: state });
      result.observe(age, since(queue.oldestDueAtMs));
      result.observe(items, inbox.items);
      result.observe(inboxAge, since(inbox.oldestAtMs));
      result.observe(questions, pending.open);
    },
    [depth, age, items, inboxAge, questions],
  );
}

import type { Meter } from "@opentelemetry/api";
import { checkOptions, withMethods } from "../schema/check-options.ts";
import { ATTRIBUTES as A, DATABASE_METRICS as M } from "./names.ts";

/** The meter, and the pool whose connections are counted. */
export interface DatabaseTelemetryOptions {
  readonly meter: Meter;
  /** Its connections are observed with every export. @default none */
  readonly pool?: CountedPool;
  /** Tells pools of one process apart. @default "palimpsest" */
  readonly poolName?: string;
}

/** What a store in a database tells of itself. */
export type DatabaseEvent =
  /** A statement has ended. `outcome` is the answer of a statement that may be declined, such as `fenced`. */
  | {
      readonly kind: "statement";
      readonly operation: string;
      readonly durationMs: number;
      readonly outcome?: string;
      /** Why it failed. */
      readonly error?: string;
    }
  /** The process was to say that it is alive. `lateMs`: since it should have been heard of. */
  | { readonly kind: "heartbeat"; readonly lateMs: number; readonly outcome: "renewed" | "failed" };

/** The counts of a connection pool: that of `pg` has them. */
export interface CountedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options?: { readonly max?: number };
}

/** Turns events of a database into OpenTelemetry metrics. Pass it as `onEvent` to `openPostgres`. Names are those of the conventions where there are some. */
export function databaseTelemetry(options: DatabaseTelemetryOptions): (event: DatabaseEvent) => void {
  checkOptions("databaseTelemetry", options, {
    meter: withMethods(["createCounter"], 'a meter of OpenTelemetry: metrics.getMeter("...")'),
  });
  const { meter, pool, poolName = "palimpsest" } = options;
  const advice = { explicitBucketBoundaries: [...SECONDS] };
  const duration = meter.createHistogram(M.operationDuration, {
    unit: "s",
    description: "Statements, from the call to the answer; with the wait for a connection.",
    advice,
  });
  const refusals = meter.createCounter(M.refusals, {
    unit: "{append}",
    description: "Appends that were refused because another writer has the log.",
  });
  const heartbeat = meter.createHistogram(M.heartbeatLag, {
    unit: "s",
    description: "How late a process has renewed its lease. Beyond the lease, its sessions can be taken.",
    advice,
  });
  if (pool !== undefined) observePool(meter, pool, poolName);
  return (event) => {
    if (event.kind === "heartbeat") {
      heartbeat.record(event.lateMs / 1_000, { [A.outcome]: event.outcome });
      return;
    }
    const { operation, durationMs, outcome, error } = event;
    const attributes = { [A.databaseSystem]: "postgresql", [A.databaseOperation]: operation };
    duration.record(durationMs / 1_000, error === undefined ? attributes : { ...attributes, [A.errorType]: error });
    if (outcome !== undefined && REFUSALS.includes(outcome)) refusals.add(1, { [A.reason]: outcome });
  };
}

/** Answers by which a writer learns that another one has its log. */
const REFUSALS = ["fenced", "gone", "out-of-order"];
const SECONDS: readonly number[] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

function observePool(meter: Meter, pool: CountedPool, poolName: string): void {
  const named = { [A.poolName]: poolName };
  meter
    .createObservableUpDownCounter(M.connections, { unit: "{connection}", description: "Connections of the pool." })
    .addCallback((result) => {
      result.observe(pool.idleCount, { ...named, [A.connectionState]: "idle" });
      result.observe(pool.totalCount - pool.idleCount, { ...named, [A.connectionState]: "used" });
    });
  meter
    .createObservableUpDownCounter(M.pendingRequests, { unit: "{request}", description: "Who waits for a connection." })
    .addCallback((result) => result.observe(pool.waitingCount, named));
  meter
    .createObservableUpDownCounter(M.maxConnections, { unit: "{connection}", description: "The pool's limit." })
    .addCallback((result) => {
      if (pool.options?.max !== undefined) result.observe(pool.options.max, named);
    });
}

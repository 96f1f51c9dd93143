// Turns events of a database into OpenTelemetry metrics.

import type { Meter } from "@opentelemetry/api";
import { checkOptions, withMethods } from "../schema/check-options.ts";
import { ATTRIBUTES as A, DATABASE_METRICS as M } from "./names.ts";

/** The meter, and the pool whose connections are counted. */
export interface DatabaseTelemetryOptions {
  readonly meter: Meter;
  /** The pool whose connections are counted at every export. @default none */
  readonly pool?: CountedPool;
  /** Distinguishes the pools of one process. @default "palimpsest" */
  readonly poolName?: string;
}

/** An event of a store in a database. */
export type DatabaseEvent =
  /** A statement has ended. `outcome` is the result of a statement that can be refused, such as `fenced`. */
  | {
      readonly kind: "statement";
      readonly operation: string;
      readonly durationMs: number;
      readonly outcome?: string;
      /** The error of a failed statement. */
      readonly error?: string;
    }
  /** The process has tried to renew its lease. `lateMs`: the time since the renewal was due. */
  | { readonly kind: "heartbeat"; readonly lateMs: number; readonly outcome: "renewed" | "failed" };

/** The counts of a connection pool. A pool of `pg` has them. */
export interface CountedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options?: { readonly max?: number };
}

/**
 * Turns events of a database into OpenTelemetry metrics. Pass the returned function to `openPostgres` as `onEvent`. Metrics use the
 * names of the OpenTelemetry conventions where these exist.
 */
export function databaseTelemetry(options: DatabaseTelemetryOptions): (event: DatabaseEvent) => void {
  checkOptions("databaseTelemetry", options, {
    meter: withMethods(["createCounter"], 'a meter of OpenTelemetry: metrics.getMeter("...")'),
  });
  const { meter, pool, poolName = "palimpsest" } = options;
  const advice = { explicitBucketBoundaries: [...SECONDS] };
  const duration = meter.createHistogram(M.operationDuration, {
    unit: "s",
    description: "The duration of statements, including the wait for a connection.",
    advice,
  });
  const refusals = meter.createCounter(M.refusals, {
    unit: "{append}",
    description: "Appends that were refused because another writer has the log.",
  });
  const heartbeat = meter.createHistogram(M.heartbeatLag, {
    unit: "s",
    description: "The delay of lease renewals. After the end of the lease, other processes can take the sessions over.",
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

/** The outcomes that show that another writer has the log. */
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
    .createObservableUpDownCounter(M.pendingRequests, {
      unit: "{request}",
      description: "Requests that wait for a connection.",
    })
    .addCallback((result) => result.observe(pool.waitingCount, named));
  meter
    .createObservableUpDownCounter(M.maxConnections, {
      unit: "{connection}",
      description: "The connection limit of the pool.",
    })
    .addCallback((result) => {
      if (pool.options?.max !== undefined) result.observe(pool.options.max, named);
    });
}

import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { openPostgres } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { EMPTY_LOG, sealEntries, sha256 } from "palimpsest/store-parts";
import { databaseTelemetry } from "palimpsest/telemetry";
import { manualStoreClock } from "palimpsest/testing";
import { expect, onTestFinished, test } from "vitest";

test("a meter counts statements, refusals, heartbeats and connections of a real database", async () => {
  const database = await startDatabase();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  onTestFinished(async () => {
    await meters.shutdown();
    await database.stop();
  });
  const clock = manualStoreClock();
  const pool = database.connect({ user: "service", database: "postgres", max: 3 });
  const onEvent = databaseTelemetry({ meter: meters.getMeter("test"), pool });
  const store = openPostgres({ pool, clock, leaseMs: 30_000, onEvent }).store({ tenant: "t" });

  const drafts = [{ kind: "message", version: 1, payload: "{}" }];
  const entries = sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 });
  const opened = await store.openWriter("s", { owner: "first" });
  if (opened.kind === "busy") throw new Error("busy");
  await opened.writer.append(entries);
  await store.openWriter("s", { owner: "second", takeover: "always" });
  expect(await opened.writer.append(entries)).toMatchObject({ kind: "fenced" });
  // The process stands still for 5 seconds more than its beats are apart.
  clock.stall(15_000);
  await clock.advance(1);
  await database.admin.query("REVOKE palimpsest_worker FROM service");
  await expect(store.list()).rejects.toMatchObject({ reason: "no-permission" });
  const client = await pool.connect();

  await meters.forceFlush();
  const found = exporter
    .getMetrics()
    .at(-1)!
    .scopeMetrics.flatMap(({ metrics }) => metrics);
  const series = (name: string) => found.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  const measured = (name: string, attributes: Readonly<Record<string, string>>): unknown =>
    series(name).find((point) => Object.entries(attributes).every(([key, value]) => point.attributes[key] === value))
      ?.value;
  expect(measured("db.client.operation.duration", { "db.operation.name": "append_one" })).toMatchObject({ count: 2 });
  expect(measured("db.client.operation.duration", { "error.type": "no-permission" })).toMatchObject({ count: 1 });
  expect(measured("palimpsest.database.refusals", { "palimpsest.reason": "fenced" })).toBe(1);
  const lag = measured("palimpsest.database.heartbeat.lag", { "palimpsest.outcome": "renewed" });
  expect(lag).toMatchObject({ count: 1, sum: expect.closeTo(5, 1) });
  expect(measured("db.client.connection.count", { "db.client.connection.state": "used" })).toBe(1);
  expect(measured("db.client.connection.pending_requests", {})).toBe(0);
  expect(measured("db.client.connection.max", { "db.client.connection.pool.name": "palimpsest" })).toBe(3);
  client.release();
});

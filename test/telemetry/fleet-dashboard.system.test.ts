import { readFile } from "node:fs/promises";
import Anthropic from "@anthropic-ai/sdk";
import { say } from "@palimpsest/fleet";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { openSession, tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { EMPTY_LOG, sealEntries, sha256 } from "palimpsest/store-parts";
import { databaseTelemetry, fleetTelemetry, httpTelemetry } from "palimpsest/telemetry";
import { expect, onTestFinished, test } from "vitest";
import { openWorld, shareDatabase, until, untilEnded } from "../../packages/fleet/src/testing/open-world.ts";
import { FLEET_METRICS } from "../../packages/palimpsest/src/telemetry/names.ts";
import { type Series, startCollector } from "./start-collector.ts";

const DASHBOARD = new URL("../../packages/fleet/grafana/fleet.json", import.meta.url);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** As Prometheus names a metric of OpenTelemetry: its default, UnderscoreEscapingWithSuffixes. */
function prometheusNames({ name, unit, kind }: Series): readonly string[] {
  const words = (text: string): string => text.replaceAll(/[^a-zA-Z0-9]+/g, "_");
  const suffix =
    unit.startsWith("{") || unit === "1" ? "" : `_${unit === "s" ? "seconds" : unit === "By" ? "bytes" : unit}`;
  const base = words(name) + suffix;
  if (kind === "histogram") return [`${base}_bucket`, `${base}_sum`, `${base}_count`];
  return [kind === "counter" ? `${base}_total` : base];
}

const labelOf = (attribute: string): string => attribute.replaceAll(/[^a-zA-Z0-9]+/g, "_");

/** "call NAME" calls a tool; everything else is answered. */
const script: Script = ({ userText, toolResults }) => {
  const name = /^call (\w+)$/.exec(userText.trim())?.[1];
  return name !== undefined && toolResults.length === 0 ? callTools(callTool(name, {})) : answer("Done.");
};

test("each metric and label of the dashboard for Grafana is emitted by a fleet, and each metric of a fleet is on it", async () => {
  const { tracer, meter, series } = startCollector();
  const database = await startDatabase();
  onTestFinished(() => database.stop());
  const { overview } = openPostgresDispatch({ pool: database.admin });
  const telemetry = fleetTelemetry({ tracer, meter, overview });
  const shared = await shareDatabase(database);
  const world = openWorld(shared, script);
  onTestFinished(() => world.close());
  const { dispatch, tenant } = world;
  const away = anthropic(new Anthropic({ apiKey: "none", baseURL: "http://127.0.0.1:9", maxRetries: 0 }));
  const look = tool({ name: "look", description: "Looks.", inputSchema: { type: "object" }, execute: () => "seen" });
  let opened = 0;
  await world.start({
    telemetry,
    turn: () => ({
      tools: [look],
      permission: () => ({ kind: "later" }) as const,
      retries: { maxAttempts: 1 },
    }),
    serve: { retryAfterMs: () => 10 },
    async open(target) {
      const { session: id } = target;
      if (id === "poison") throw new Error("out of memory");
      if (id !== "away") return world.open(id, [], telemetry.onEvent(target));
      opened++;
      return openSession({ store: world.store, id, provider: away, model: "claude-opus-5-5", takeover: "always" });
    },
  });
  await say(dispatch.inbox, "s", { key: "k", content: "call look" });
  await untilEnded(world, "s");
  const [question] = (await dispatch.approvals.pending()).questions;
  await dispatch.approvals.answer("s", question!.callId, { decision: "allow", by: "Ada" });
  await untilEnded(world, "s", 2);
  await say(dispatch.inbox, "poison", { key: "k", content: "Hello." });
  await until(async () => (await dispatch.schedule.listSetAside()).sessions.length === 1);
  // The worker tells it after the database knows it.
  await until(async () => (await series()).some(({ name, value }) => name === FLEET_METRICS.setAside && value === 1));

  // As a server does: http-telemetry.system.test.ts has a real one.
  const route = "/v1/sessions/{session}/messages";
  httpTelemetry({ tracer, meter }).begin({ method: "POST" }).end({ route, status: 202, durationMs: 5 });
  const pool = database.connect({ user: "service", database: "postgres", max: 2 });
  const { store } = openPostgres({ pool, onEvent: databaseTelemetry({ meter, pool }) });
  const writers = [];
  for (const owner of ["first", "second"])
    writers.push(await store({ tenant }).openWriter("w", { owner, takeover: "always" }));
  const [fenced] = writers;
  if (fenced?.kind !== "opened") throw new Error("busy");
  const drafts = [{ kind: "message", version: 1, payload: "{}" }];
  await fenced.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 }));

  // Last: it is put off for 20 seconds or more, and would be counted again.
  await say(dispatch.inbox, "away", { key: "k", content: "Hello." });
  await until(async () => opened > 0 && (await overview()).queue.later === 1);

  const all = await series();
  const labels = new Map<string, Set<string>>();
  for (const one of all)
    for (const name of prometheusNames(one)) {
      const known = labels.get(name) ?? new Set(["le"]);
      for (const attribute of Object.keys(one.attributes)) known.add(labelOf(attribute));
      labels.set(name, known);
    }
  const { panels } = JSON.parse(await readFile(DASHBOARD, "utf8")) as { readonly panels: readonly Panel[] };
  const used = new Set<string>();
  for (const { title, targets = [] } of panels)
    for (const { expr, legendFormat } of targets) {
      const withoutLabels = expr.replaceAll(/by \([^)]*\)|\{\w+!?=.*?"\}/g, "");
      const [name, ...others] = withoutLabels.match(/\b(?:palimpsest|gen_ai|db|http)_\w+/g) ?? [];
      expect({ title, expr, name, others }).toMatchObject({ name: expect.any(String), others: [] });
      expect([...labels.keys()], `${title}: nothing emits ${name}`).toContain(name);
      used.add(name!);
      const asked = [...expr.matchAll(/by \(([^)]*)\)|\{(\w+)!?=/g)].flatMap(([, by, equal]) =>
        (by ?? equal ?? "").split(",").map((label) => label.trim()),
      );
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
      expect([...labels.get(name!)!], `${title}: ${expr}`).toEqual(expect.arrayContaining([...asked, ...shown]));
    }
  const ofFleet = all.filter(({ name }) => (Object.values(FLEET_METRICS) as readonly string[]).includes(name));
  expect([...new Set(ofFleet.map(({ name }) => name))].sort()).toEqual(Object.values(FLEET_METRICS).toSorted());
  const unseen = ofFleet.filter((one) => !prometheusNames(one).some((name) => used.has(name)));
  expect(unseen.map(({ name }) => name)).toEqual([]);

  const measured = (name: string, attributes: Readonly<Record<string, string>> = {}) =>
    all.find(
      (one) => one.name === name && Object.entries(attributes).every(([key, value]) => one.attributes[key] === value),
    )?.value;
  expect(measured(FLEET_METRICS.queueDepth, { "palimpsest.state": "set_aside" })).toBe(1);
  expect(measured(FLEET_METRICS.runs, { "palimpsest.outcome": "failed" })).toBe(5);
  expect(measured(FLEET_METRICS.setAside)).toBe(1);
  expect(measured(FLEET_METRICS.postponed, { "palimpsest.reason": "unreachable" })).toBe(1);
  expect(measured(FLEET_METRICS.resumed, { "palimpsest.turn.continued": "resume" })).toBe(1);
  expect(measured(FLEET_METRICS.openSessions, { "palimpsest.state": "idle" })).toBe(2);
});

import Anthropic from "@anthropic-ai/sdk";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { queueScheduler } from "@palimpsest/fleet";
import { openPostgres, openPostgresDispatch } from "@palimpsest/postgres";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, createAnthropic, fetchInProcess } from "@palimpsest/provider-simulator";
import { createToken, SCOPES, serveFleet } from "@palimpsest/server";
import { tool } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { fleetTelemetry, httpTelemetry } from "palimpsest/telemetry";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCollector } from "./start-collector.ts";

let database: StartedDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const look = tool({ name: "look", description: "Looks.", inputSchema: { type: "object" }, execute: () => "seen" });
const face = createAnthropic({
  script: ({ toolResults }) => (toolResults.length > 0 ? answer("Done.") : callTools(callTool("look", {}))),
});
const provider = anthropic(new Anthropic({ apiKey: "none", maxRetries: 0, fetch: fetchInProcess({ face }) }));

test("a turn is in the trace of the request that brought its message, and that in the client's", async () => {
  const { tracer, meter, spans, series } = startCollector();
  const pool = database.dispatchers;
  const postgres = openPostgres({ pool });
  const { tenant: dispatch, queue, close, overview } = openPostgresDispatch({ pool, pollMs: 50 });
  const { text: token, stored } = createToken({ tenant: "shop", name: "Ada", scopes: SCOPES });
  const server = await serveFleet({
    agent: () => ({ provider, model: "claude-opus-5-5", tools: [look], settings: { notes: "off" } }),
    store: (tenant) => postgres.store({ tenant }),
    dispatch,
    scheduler: queueScheduler({ queue, schedule: (tenant) => dispatch(tenant).schedule }),
    tokens: { find: async () => stored },
    telemetry: httpTelemetry({ tracer, meter }),
    runTelemetry: fleetTelemetry({ tracer, meter, overview }),
  });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const send = (path: string, body: unknown, traceparent: string) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": "k",
        traceparent,
      },
      body: JSON.stringify(body),
    });
  await send("/v1/sessions", { id: "s" }, "nonsense");
  await send("/v1/sessions/s/messages", { content: "Look." }, `00-${traceId}-b7ad6b7169203331-01`);
  const { events } = dispatch("shop");
  for await (const watched of events.watch("s"))
    if (watched.kind === "event" && (watched.event as { kind: string }).kind === "run-ended") break;
  await send("/nowhere", {}, "");
  await server.close({ graceMs: 5_000 });
  await close();

  const own = spans().filter((span) => span.spanContext().traceId === traceId);
  expect(own.map(({ name }) => name.split(" ")[0]).sort()).toEqual(
    ["POST", "palimpsest.queued", "invoke_agent", "chat", "execute_tool", "chat"].sort(),
  );
  const request = own.find(({ kind }) => kind === SpanKind.SERVER)!;
  expect([request.name, request.parentSpanContext?.spanId]).toEqual([
    "POST /v1/sessions/{session}/messages",
    "b7ad6b7169203331",
  ]);
  expect(request.attributes).toMatchObject({
    "http.response.status_code": 202,
    "palimpsest.http.operation": "say",
    "palimpsest.tenant": "shop",
  });
  expect(request.status.code).toBe(SpanStatusCode.UNSET);
  const turn = own.find(({ name }) => name === "invoke_agent")!;
  expect(turn.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
  // A request without a trace begins one, and an address that is unknown is no name of a span.
  const names = spans().map(({ name }) => name);
  expect(names).toContain("POST /v1/sessions");
  expect(names).toContain("POST");
  expect((await series()).filter(({ name }) => name === "http.server.request.duration")).toHaveLength(3);
});

import { SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { agentTool, say } from "@palimpsest/fleet";
import { type StartedDatabase, startDatabase } from "@palimpsest/postgres/test-server";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { tool } from "palimpsest";
import { type FleetTelemetryOptions, fleetTelemetry } from "palimpsest/telemetry";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  openWorld,
  type Shared,
  shareDatabase,
  shareFolder,
  until,
  untilEnded,
} from "../../packages/fleet/src/testing/open-world.ts";
import { startCollector } from "./start-collector.ts";

const SESSION = "gen_ai.conversation.id";
let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

/** "call NAME" calls a tool; everything else is answered. */
const script: Script = ({ userText, toolResults }) => {
  const last = userText.trim().split("\n").at(-1) ?? "";
  const name = /^call (\w+)$/.exec(last)?.[1];
  if (name !== undefined && toolResults.length === 0)
    return callTools(callTool(name, { goal: "look", prompt: "Look around." }));
  return answer("Done.");
};

const look = tool({ name: "look", description: "Looks.", inputSchema: { type: "object" }, execute: () => "seen" });

async function openFleet(shared: Shared, options: Pick<FleetTelemetryOptions, "overview"> = {}) {
  const collector = startCollector();
  const { tracer, meter } = collector;
  const world = openWorld(shared, script);
  onTestFinished(() => world.close());
  return { ...collector, world, seen: fleetTelemetry({ tracer, meter, ...options }) };
}

/** A request that brings a message. */
function send(tracer: Tracer): { readonly traceId: string; readonly spanId: string; readonly traceparent: string } {
  const span = tracer.startSpan("POST /messages");
  const { traceId, spanId } = span.spanContext();
  span.end();
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

const named = (spans: readonly ReadableSpan[], name: string): readonly ReadableSpan[] =>
  spans.filter((span) => span.name === name || span.name.startsWith(`${name} `));

const places = [
  { where: "a SQLite file", share: () => shareFolder() },
  { where: "PostgreSQL", share: () => shareDatabase(database) },
];

describe.each(places)("in $where", ({ share }) => {
  test("a turn is one trace, from its sender over the workers that ran it to the model and the tools", async () => {
    const { world, seen, tracer, spans } = await openFleet(await share());
    const { dispatch } = world;
    let kills = 0;
    const { acknowledge } = dispatch.inbox;
    const mortal = {
      ...dispatch.inbox,
      async acknowledge(...args: Parameters<typeof acknowledge>) {
        if (kills++ === 0) throw new Error("killed");
        return acknowledge(...args);
      },
    };
    const sender = send(tracer);
    // The first worker ends when the message is in the log, and before anybody else knows that.
    await world.start({
      tools: [look],
      telemetry: seen,
      dispatch: () => ({ ...dispatch, inbox: mortal }),
      serve: { retryAfterMs: () => 10 },
    });
    await say(dispatch.inbox, "s", { key: "k", content: "call look", traceparent: sender.traceparent });
    await untilEnded(world, "s");
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([sender.traceId]));
    const [failed, continued] = named(spans(), "invoke_agent");
    expect(failed).toMatchObject({ status: { code: SpanStatusCode.ERROR, message: "killed" } });
    expect(failed!.attributes).toMatchObject({ "palimpsest.run.attempt": 1, "palimpsest.outcome": "failed" });
    expect(continued!.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      [SESSION]: "s",
      "palimpsest.tenant": world.tenant,
      "palimpsest.run.attempt": 2,
      "palimpsest.turn.continued": "crash",
      "palimpsest.outcome": "idle",
    });
    for (const turn of [failed, continued]) expect(turn!.parentSpanContext?.spanId).toBe(sender.spanId);
    const within = continued!.spanContext().spanId;
    const [chat] = named(spans(), "chat");
    expect(chat!.parentSpanContext?.spanId).toBe(within);
    const [ran] = named(spans(), "execute_tool");
    expect(ran).toMatchObject({ name: "execute_tool look", parentSpanContext: { spanId: within } });
    expect(ran!.attributes).toMatchObject({ "gen_ai.tool.name": "look", "palimpsest.outcome": "ran" });
    expect(named(spans(), "palimpsest.queued")).toMatchObject([{ parentSpanContext: { spanId: sender.spanId } }]);
    expect(named(spans(), "chat")).toHaveLength(2);
  });

  test("a question is answered days later in the trace of its turn; agents are in it, too", async () => {
    const { world, seen, tracer, spans } = await openFleet(await share());
    const { dispatch } = world;
    const { serving } = await world.start({
      telemetry: seen,
      turn: (session, _target, { inbox }) => ({
        tools: [agentTool(session, inbox)],
        permission: () => ({ kind: "later", reason: "an agent costs money" }) as const,
      }),
    });
    const sender = send(tracer);
    await say(dispatch.inbox, "s", { key: "k", content: "call start_agent", traceparent: sender.traceparent });
    await untilEnded(world, "s");
    const [question] = (await dispatch.approvals.pending()).questions;
    await dispatch.approvals.answer("s", question!.callId, { decision: "allow", by: "Ada" });
    // The message and the report of the agent.
    const received = () => named(spans(), "palimpsest.queued").filter((span) => span.attributes[SESSION] === "s");
    await until(() => received().length === 2 && serving.running.length === 0);
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([sender.traceId]));
    const turns = named(spans(), "invoke_agent").map(({ attributes }) => attributes);
    // A span is told when it ends: the turn of the agent may end before the turn that started the agent.
    const own = turns.filter((attributes) => attributes[SESSION] === "s");
    expect(own[0]).toMatchObject({ "palimpsest.outcome": "waiting" });
    expect(own[1]).toMatchObject({ "palimpsest.turn.continued": "resume", "palimpsest.outcome": "idle" });
    const conversations = new Set(turns.map((attributes) => String(attributes[SESSION])));
    expect([...conversations].sort()).toEqual(["s", expect.stringMatching(/^s\.agent-/)]);
  });

  test("a message that joins a running turn has its own trace, with a link to the turn", async () => {
    const { world, seen, tracer, spans } = await openFleet(await share());
    const { dispatch } = world;
    const gate = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const wait = tool({
      name: "wait",
      description: "Waits.",
      inputSchema: { type: "object" },
      execute() {
        begun.resolve();
        return gate.promise;
      },
    });
    await world.start({ telemetry: seen, tools: [wait] });
    const [first, second] = [send(tracer), send(tracer)];
    await say(dispatch.inbox, "s", { key: "a", content: "call wait", traceparent: first.traceparent });
    await begun.promise;
    await say(dispatch.inbox, "s", { key: "b", content: "And this?", traceparent: second.traceparent });
    gate.resolve("waited");
    await untilEnded(world, "s");
    const joined = named(spans(), "palimpsest.queued").find((span) => span.spanContext().traceId === second.traceId);
    const [turn] = named(spans(), "invoke_agent");
    expect(turn!.spanContext().traceId).toBe(first.traceId);
    expect(joined?.links.map(({ context }) => context.spanId)).toEqual([turn!.spanContext().spanId]);
  });

  test("a message without a trace, or with one that cannot be read, begins a trace", async () => {
    const { world, seen, spans } = await openFleet(await share());
    await world.start({ telemetry: seen });
    for (const [at, traceparent] of [
      undefined,
      "00-nothing-01",
      `00-${"0".repeat(32)}-${"1".repeat(16)}-01`,
    ].entries()) {
      const traced = traceparent === undefined ? {} : { traceparent };
      await say(world.dispatch.inbox, "s", { key: `k${at}`, content: "Hello.", ...traced });
      await untilEnded(world, "s", at + 1);
    }
    const turns = named(spans(), "invoke_agent");
    expect(turns).toHaveLength(3);
    expect(new Set(turns.map((span) => span.spanContext().traceId)).size).toBe(3);
    expect(turns.map((span) => span.parentSpanContext)).toEqual([undefined, undefined, undefined]);
  });
});

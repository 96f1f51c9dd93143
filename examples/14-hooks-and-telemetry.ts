/** Hooks at a session's start and end, a listener that sees what happens, and the same as OpenTelemetry spans and metrics. */
import Anthropic from "@anthropic-ai/sdk";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { callTool, callTools, createAnthropic, inOrder, serve } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, type SessionEvent, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { commandHook, createHooks } from "palimpsest/hooks";
import { telemetry } from "palimpsest/telemetry";

const script = inOrder([callTools(callTool("Bash", { command: "npm test" }))]);
const server = await serve({ faces: [createAnthropic({ script })] });
const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });

// Where a collector would be.
const spans = new InMemorySpanExporter();
const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics })] });
const count = telemetry({ tracer: tracers.getTracer("example"), meter: meters.getMeter("example") });

function onEvent(event: SessionEvent): void {
  count(event);
  const { kind, session: _, atMs: __, ...details } = event;
  console.log(`${kind} ${JSON.stringify(details).slice(0, 120)}`);
}

const hooks = createHooks([
  { event: "SessionStart", run: commandHook("echo The branch is $BRANCH.", { environment: { BRANCH: "main" } }) },
  { event: "SessionEnd", run: ({ sessionId }) => ({ userDisplayMessage: `${sessionId} is over.` }) },
  // It hangs, and costs what its deadline allows.
  { event: "SessionEnd", run: commandHook("sleep 60"), name: "upload", timeoutMs: 200 },
]);

const session = await openSession({
  id: "tests",
  store: memoryStore(),
  provider: anthropic(client),
  model: "claude-opus-5-5",
  hooks,
  onEvent,
  tools: [{ name: "Bash", description: "Runs a command.", inputSchema: { type: "object" } }],
});
await session.append("Run the tests.");
const { calls } = await session.record(await client.messages.create(await session.prepare()));
await session.append(toolResult(calls[0]!.id, "ok 1 - it works\n".repeat(10_000)));
await session.record(await client.messages.create(await session.prepare()));
await session.close();

await meters.forceFlush();
const [newest] = metrics.getMetrics().slice(-1);
const names = newest!.scopeMetrics.flatMap((scope) => scope.metrics).map(({ descriptor }) => descriptor.name);
console.log(`${spans.getFinishedSpans().length} spans; metrics: ${[...new Set(names)].join(", ")}`);
await meters.shutdown();
await tracers.shutdown();
await server.close();

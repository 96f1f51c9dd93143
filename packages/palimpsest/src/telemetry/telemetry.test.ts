import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { createAnthropic, manualClock } from "@palimpsest/provider-simulator";
import { expect, onTestFinished, test } from "vitest";
import { type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import { openSession } from "../session/open-session.ts";
import type { Happening, SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { ATTRIBUTES, METRICS } from "./names.ts";
import { type TelemetryOptions, telemetry } from "./telemetry.ts";

/** The real thing, with memory where a collector would be. */
function begin(options: Pick<TelemetryOptions, "content"> = {}) {
  const spans = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  onTestFinished(async () => {
    await tracers.shutdown();
    await meters.shutdown();
  });
  const listen = telemetry({ tracer: tracers.getTracer("test"), meter: meters.getMeter("test"), ...options });
  let atMs = 1_000_000;
  return {
    listen,
    tell: (...happenings: readonly Happening[]) => {
      for (const happening of happenings) listen({ ...happening, session: "s", atMs: atMs++ });
    },
    spans: () => spans.getFinishedSpans(),
    /** Each series as name, attributes and sum. */
    async series() {
      await meters.forceFlush();
      const newest = metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
      return newest
        .flatMap((scope) => scope.metrics)
        .flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => ({
            name: descriptor.name,
            unit: descriptor.unit,
            attributes,
            value: typeof value === "number" ? value : value.sum,
          })),
        );
    },
  };
}

const used = { freshTokens: 10, cacheReadTokens: 80, cacheWriteTokens: 10, outputTokens: 7, reasoningTokens: 3 };

const response: Happening = {
  kind: "response-recorded",
  ...{ source: "main", provider: "p", requestModel: "m", model: "m-1", responseId: "r", stop: "end" },
  ...{ requestedAtMs: 998_000, priceUsd: 0.25, text: "A SECRET of the model", ...used },
};

const compacted: CompactionOutcome = {
  kind: "compacted",
  ...{ rung: "fork", tokensBefore: 150_000, tokensAfter: 20_000, used, summary: "A SECRET summary" },
};

type CompactionOutcome = Extract<Happening, { kind: "compaction-ended" }>["outcome"];

function compaction(outcome: CompactionOutcome): readonly Happening[] {
  const started = { trigger: "auto", tokensBefore: 150_000, earlierCompactions: 2, turnsSincePrevious: 9 } as const;
  return [
    { kind: "compaction-started", compaction: "c", ...started },
    { kind: "compaction-progressed", compaction: "c", phase: "summarising" },
    { kind: "compaction-ended", compaction: "c", outcome },
  ];
}

/** One of every kind: a kind that is left out here does not compile. */
const EVERY: { readonly [Kind in Happening["kind"]]: Extract<Happening, { kind: Kind }> } = {
  "turn-started": { kind: "turn-started" },
  "compaction-due": { kind: "compaction-due", why: "A SECRET reason", tokens: 5 },
  "response-recorded": response as Extract<Happening, { kind: "response-recorded" }>,
  "answer-interrupted": {
    kind: "answer-interrupted",
    ...{ source: "main", provider: "p", requestModel: "m", model: "m-2", responseId: "r", view: "kept" },
    ...{ text: "A SECRET answer", calls: [], used, estimated: "output", priceUsd: 0.5 },
  },
  "input-truncated": { kind: "input-truncated", model: "m", sentTokens: 12_000, readTokens: 4_096 },
  "model-guessed": { kind: "model-guessed", model: "m", windowTokens: 200_000, maxOutputTokens: 8_192 },
  "parameter-overridden": { kind: "parameter-overridden", parameter: "max_tokens", given: "A SECRET", sent: 20_000 },
  "cache-warmed": { kind: "cache-warmed", activity: "tool-runs", pings: 1, priceUsd: 0.01, pausePriceUsd: 0.01 },
  "cache-broken": {
    kind: "cache-broken",
    ...{ usage: 5, source: "main", causes: ["tools", "pause"], what: ["A SECRET tool"], sort: "alarm" },
    ...{ droppedTokens: 90, rebilledTokens: 80, pauseMs: 5 },
  },
  "result-stored": { kind: "result-stored", entry: 4, tool: "Read", bytes: 60_000, way: "alone" },
  "storing-failed": { kind: "storing-failed", bytes: 5, error: "A SECRET path", shown: "beginning" },
  "results-collected": { kind: "results-collected", sessions: 3, bytes: 70, failures: 1, error: "A SECRET path" },
  "results-cleared": {
    kind: "results-cleared",
    ...{ way: "payback", trigger: "auto", count: 4, shedTokens: 9_000, invalidatedPrefixTokens: 100 },
  },
  recalled: { kind: "recalled", by: "entry", outcome: "text" },
  "compaction-started": compaction(compacted)[0] as Extract<Happening, { kind: "compaction-started" }>,
  "compaction-progressed": compaction(compacted)[1] as Extract<Happening, { kind: "compaction-progressed" }>,
  "compaction-ended": compaction(compacted)[2] as Extract<Happening, { kind: "compaction-ended" }>,
  "notes-updated": { kind: "notes-updated", outcome: "updated", tokens: 900, used },
  "notes-compaction-declined": { kind: "notes-compaction-declined", reason: "stale" },
  "memories-extracted": { kind: "memories-extracted", outcome: "extracted", count: 3, used },
  "memory-judged": { kind: "memory-judged", verdict: "corrected" },
  "memories-waiting": { kind: "memories-waiting", count: 2 },
  "mail-arrived": { kind: "mail-arrived", count: 1, from: ["A SECRET name"] },
  dreamed: { kind: "dreamed", trigger: "auto", outcome: "consolidated", changed: 2, used },
  forked: { kind: "forked", source: "notes", outcome: "ok", used },
  "breaker-tripped": { kind: "breaker-tripped", of: "compaction", failures: 3 },
  "settings-rejected": {
    kind: "settings-rejected",
    problems: [{ source: "file", name: "A SECRET name", message: "A SECRET value" }],
  },
  "flags-failed": { kind: "flags-failed", because: "A SECRET address", held: 2 },
  "flags-recovered": { kind: "flags-recovered", afterMs: 5 },
  "files-restored": { kind: "files-restored", putBack: 3, skipped: 2, failed: 1 },
  "hooks-ran": {
    kind: "hooks-ran",
    ...{ event: "PreCompact", ran: 2, durationMs: 12, blocked: { reason: "A SECRET reason", by: "g" } },
    messages: ["A SECRET message"],
    failures: [{ by: "h", kind: "timeout", message: "A SECRET" }],
  },
};

test("everything that can happen is counted, and every metric is fed", async () => {
  const { tell, series } = begin();
  tell(...Object.values(EVERY));
  const all = await series();
  expect(all.every(({ unit, value }) => unit !== "" && (value ?? 0) > 0)).toBe(true);
  expect([...new Set(all.map(({ name }) => name))].sort()).toEqual([...Object.values(METRICS)].sort());
  const values = Object.fromEntries(
    all.map(({ name, attributes, value }) => [[name, ...Object.values(attributes)].join(" "), value]),
  );
  expect(values).toMatchObject({
    "gen_ai.client.token.usage chat p m m-1 main input": 100,
    "gen_ai.client.token.usage chat p m m-1 main output": 7,
    "palimpsest.prompt.tokens chat p m m-1 main cache_read": 80,
    "palimpsest.cost chat p m m-1 main": 0.25,
    "palimpsest.cost chat p m m-2 main": 0.5,
    "palimpsest.answers.interrupted main kept output": 1,
    "palimpsest.cache.break.tokens tools alarm main": 80,
    "palimpsest.cleared.results payback auto": 4,
    "palimpsest.cleared.tokens payback auto": 9_000,
    "palimpsest.stored.bytes alone Read": 60_000,
    "palimpsest.recalls entry text": 1,
    "palimpsest.compactions fork compacted": 1,
    "palimpsest.fork.cache_hit_rate notes ok": 0.8,
    "palimpsest.restored.files put_back": 3,
    "palimpsest.restored.files skipped": 2,
    "palimpsest.restored.files failed": 1,
    "palimpsest.hook.failures PreCompact timeout": 1,
    "palimpsest.memory.verdicts corrected": 1,
  });
});

test("a request is a span of a client, as the conventions want it", () => {
  const { tell, spans } = begin();
  tell(response);
  const [span] = spans();
  expect(span).toMatchObject({ name: "chat m", kind: SpanKind.CLIENT, startTime: [998, 0], endTime: [1_000, 0] });
  expect(span!.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "p",
    "gen_ai.request.model": "m",
    "gen_ai.response.model": "m-1",
    "gen_ai.response.id": "r",
    "gen_ai.response.finish_reasons": ["end"],
    "gen_ai.conversation.id": "s",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.usage.cache_read.input_tokens": 80,
    "gen_ai.usage.cache_creation.input_tokens": 10,
    "gen_ai.usage.reasoning.output_tokens": 3,
    "palimpsest.source": "main",
    "palimpsest.cost": 0.25,
  });
});

test.each<[CompactionOutcome, object, SpanStatusCode]>([
  [
    compacted,
    { [ATTRIBUTES.rung]: "fork", [ATTRIBUTES.tokensAfter]: 20_000, [ATTRIBUTES.cacheReadTokens]: 80 },
    SpanStatusCode.UNSET,
  ],
  [{ kind: "declined", reason: "blocked by a hook" }, { [ATTRIBUTES.outcome]: "declined" }, SpanStatusCode.UNSET],
  [{ kind: "failed", failure: "prompt_too_long" }, { [ATTRIBUTES.errorType]: "prompt_too_long" }, SpanStatusCode.ERROR],
])("a compaction is one span from its beginning to its end: %j", (outcome, attributes, code) => {
  const { tell, spans } = begin();
  const [started, progressed, ended] = compaction(outcome);
  tell(started!, progressed!);
  expect(spans()).toEqual([]);
  tell(ended!);
  const [span, ...more] = spans();
  expect(more).toEqual([]);
  expect(span).toMatchObject({ name: "palimpsest.compaction", status: { code } });
  expect(span!.attributes).toMatchObject({
    ...{ [ATTRIBUTES.trigger]: "auto", [ATTRIBUTES.tokensBefore]: 150_000, [ATTRIBUTES.earlierCompactions]: 2 },
    ...attributes,
  });
  expect(span!.events.map(({ name }) => name)).toEqual(["summarising"]);
});

test("two sessions may compact at once, under the same name", () => {
  const { listen, spans } = begin();
  const events = compaction(compacted);
  for (const happening of events)
    for (const session of ["a", "b"]) listen({ ...happening, session, atMs: 5 } as SessionEvent);
  expect(spans().map(({ attributes }) => attributes[ATTRIBUTES.session])).toEqual(["a", "b"]);
});

test.each([
  ["none", 0],
  ["included", 2],
] as const)("content %s: that many spans carry words of the conversation: %d", async (content, count) => {
  const { tell, spans, series } = begin({ content });
  tell(...Object.values(EVERY));
  const telling = spans().filter(({ attributes }) => JSON.stringify(attributes).includes("SECRET"));
  expect(telling).toHaveLength(count);
  expect(JSON.stringify(await series())).not.toContain("SECRET");
});

test("content is left out by default", () => {
  const { tell, spans } = begin();
  tell(...Object.values(EVERY));
  expect(spans().length).toBeGreaterThan(1);
  expect(JSON.stringify(spans().map(({ attributes, events, status }) => [attributes, events, status]))).not.toContain(
    "SECRET",
  );
});

test("a session with telemetry: what was counted is what was spent", async () => {
  const { listen, spans, series } = begin();
  const clock = manualClock();
  const face = createAnthropic({ clock });
  const session = await openSession({
    ...{ store: memoryStore({ clock }), provider: anthropic({} as never), model: "claude-opus-5-5", clock },
    settingsFrom: { environment: {} },
    onEvent: listen,
  });
  for (const words of ["Hello", "Again"]) {
    await session.append(words);
    const answered = face.answer(await session.prepare());
    if (answered.kind === "refused") throw new Error(answered.message);
    await session.record(answered.response as unknown as AnthropicResponse);
  }
  const { outputTokens } = session.usage();
  const { priceUsd } = await session.cost();
  const all = await series();
  const sumOf = (metric: string, type?: string) =>
    all
      .filter(
        ({ name, attributes }) =>
          name === metric && (type ?? attributes[ATTRIBUTES.tokenType]) === attributes[ATTRIBUTES.tokenType],
      )
      .reduce((sum, { value }) => sum + (value ?? 0), 0);
  expect(sumOf(METRICS.tokenUsage, "output")).toBe(outputTokens);
  expect(sumOf(METRICS.cost)).toBeCloseTo(priceUsd, 12);
  expect(sumOf(METRICS.turns)).toBe(2);
  expect(spans().map(({ name }) => name)).toEqual(["chat claude-opus-5-5", "chat claude-opus-5-5"]);
});

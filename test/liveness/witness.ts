import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { SessionEvent } from "palimpsest";
import { telemetry } from "palimpsest/telemetry";
import { createStreamCheck } from "../../apps/agent/src/testing/check-stream.ts";

/** Listens to every session that is driven, as a program and as an operator would. */
export interface Witness {
  readonly onEvent: (event: SessionEvent) => void;
  readonly eventKinds: () => ReadonlySet<string>;
  readonly metrics: () => Promise<ReadonlySet<string>>;
  readonly spans: () => ReadonlySet<string>;
  /** Events that do not fit the schema of `--output-format stream-json`. */
  readonly unfit: () => readonly string[];
  close(): Promise<void>;
}

export function createWitness(): Witness {
  const spans = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const measure = telemetry({ tracer: tracers.getTracer("liveness"), meter: meters.getMeter("liveness") });
  const kinds = new Set<string>();
  const checkStream = createStreamCheck();
  const unfit: string[] = [];
  return {
    onEvent(event) {
      kinds.add(event.kind);
      measure(event);
      unfit.push(...checkStream([{ kind: "session-event", event }]));
    },
    eventKinds: () => kinds,
    unfit: () => unfit,
    async metrics() {
      await meters.forceFlush();
      const newest = metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
      return new Set(newest.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name)));
    },
    spans: () => new Set(spans.getFinishedSpans().map(({ name }) => name)),
    async close() {
      await tracers.shutdown();
      await meters.shutdown();
    },
  };
}

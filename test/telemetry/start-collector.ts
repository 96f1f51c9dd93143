import type { Meter, Tracer } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { onTestFinished } from "vitest";

/** One series of a metric: its value is a sum, or that of a gauge. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly kind: "histogram" | "counter" | "gauge";
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number | undefined;
}

export interface Collector {
  readonly tracer: Tracer;
  readonly meter: Meter;
  spans(): readonly ReadableSpan[];
  series(): Promise<readonly Series[]>;
}

/** The real SDK, with memory where a collector would be. */
export function startCollector(): Collector {
  const spans = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  onTestFinished(async () => {
    await tracers.shutdown();
    await meters.shutdown();
  });
  return {
    tracer: tracers.getTracer("test"),
    meter: meters.getMeter("test"),
    spans: () => spans.getFinishedSpans(),
    async series() {
      await meters.forceFlush();
      const newest = metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
      return newest
        .flatMap((scope) => scope.metrics)
        .flatMap((metric) =>
          metric.dataPoints.map(({ attributes, value }) => ({
            name: metric.descriptor.name,
            unit: metric.descriptor.unit,
            kind:
              typeof value !== "number"
                ? "histogram"
                : "isMonotonic" in metric && metric.isMonotonic
                  ? "counter"
                  : "gauge",
            attributes,
            value: typeof value === "number" ? value : value.sum,
          })),
        );
    },
  };
}

// Sends the spans and metrics of this process over OTLP.
import type { SessionEvent } from "palimpsest";
import { type TelemetryOptions, telemetry } from "palimpsest/telemetry";
import type { Environment } from "./command-environment.ts";
import type { TelemetryChoice } from "./telemetry-choice.ts";
import { readVersion } from "./version.ts";

export interface AgentTelemetry {
  readonly onEvent: (event: SessionEvent) => void;
  /** The tracer and meter, for other code that creates spans and metrics. */
  readonly instruments: TelemetryOptions;
  /** Sends the remaining data within a time limit. Resolves to the problem, if any. */
  close(deadlineMs: number): Promise<string | undefined>;
}

/**
 * The optional packages. The type annotation `string` avoids a compile-time import, because the packages may not be
 * installed.
 */
const TRACE_EXPORTER: string = "@opentelemetry/exporter-trace-otlp-proto";
const METRIC_EXPORTER: string = "@opentelemetry/exporter-metrics-otlp-proto";
const NAME = "palimpsest";
/** The time limit of an exporter. An exporter retries until this limit, which delays the exit of the process. */
const SENDING_MS = 2_500;

/** The part of an exporter that `watchLosses` wraps. */
interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** Sends spans and metrics of all sessions of this process. The SDK and its exporters read the `OTEL_*` variables. */
export async function openTelemetry(
  { traces, metrics }: TelemetryChoice & { kind: "otlp" },
  environment: Environment,
): Promise<AgentTelemetry> {
  const [{ TracerProvider, BatchSpanProcessor }, { MeterProvider, PeriodicExportingMetricReader }, resources] =
    await Promise.all([
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/resources"),
    ]);
  const version = readVersion();
  let problem: string | undefined;
  /** Exporters drop data without an error if they cannot send it. Remembers the first loss, to report it at the end. */
  const watchLosses = <Items, Kind extends Exporter<Items>>(exporter: Kind): Kind => {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) =>
      send(items, (result) => {
        if (result.code !== 0) problem ??= result.error?.message ?? "it was refused";
        done(result);
      });
    return exporter;
  };
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ "service.name": NAME, "service.version": version }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const exporters = {
    traces: await loadExporter(TRACE_EXPORTER, traces, environment),
    metrics: await loadExporter(METRIC_EXPORTER, metrics, environment),
  };
  const tracers = new TracerProvider({
    resource,
    spanProcessors: exporters.traces.map((exporter) => new BatchSpanProcessor({ exporter: watchLosses(exporter) })),
  });
  const meters = new MeterProvider({
    resource,
    readers: exporters.metrics.map(
      (exporter) => new PeriodicExportingMetricReader({ exporter: watchLosses(exporter) }),
    ),
  });
  const instruments = { tracer: tracers.getTracer(NAME, version), meter: meters.getMeter(NAME, version) };
  return {
    onEvent: telemetry(instruments),
    instruments,
    async close(deadlineMs) {
      const late = Promise.withResolvers<string>();
      const timer = setTimeout(() => late.resolve(`no answer within ${deadlineMs} ms`), deadlineMs);
      const sent = Promise.allSettled([tracers.shutdown(), meters.shutdown()]).then(() => undefined);
      const slow = await Promise.race([sent, late.promise]);
      clearTimeout(timer);
      return problem ?? slow;
    },
  };
}

type ExporterClass = new (options: { readonly timeoutMillis?: number }) => never;

async function loadExporter(name: string, wanted: "sent" | "off", environment: Environment): Promise<readonly never[]> {
  if (wanted === "off") return [];
  const module = (await import(name)) as Readonly<Record<string, ExporterClass>>;
  const found = Object.entries(module).find(([exported]) => /^OTLP\w+Exporter$/.test(exported));
  if (found === undefined) return [];
  const isTimed = Object.keys(environment).some((variable) => /^OTEL_EXPORTER_OTLP_(\w+_)?TIMEOUT$/.test(variable));
  return [new found[1](isTimed ? {} : { timeoutMillis: SENDING_MS })];
}

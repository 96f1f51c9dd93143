import type { SessionEvent } from "palimpsest";
import { telemetry } from "palimpsest/telemetry";
import type { Environment } from "../workspace/command-environment.ts";
import { readVersion } from "../workspace/version.ts";
import type { TelemetryChoice } from "./telemetry-choice.ts";

export interface AgentTelemetry {
  readonly onEvent: (event: SessionEvent) => void;
  /** Sends what is left, for so long at most; resolves to what went wrong, if anything did. */
  close(deadlineMs: number): Promise<string | undefined>;
}

/** The packages are optional, and named here only: an installation without them has no types for them either. */
const TRACE_EXPORTER: string = "@opentelemetry/exporter-trace-otlp-proto";
const METRIC_EXPORTER: string = "@opentelemetry/exporter-metrics-otlp-proto";
const NAME = "palimpsest";
/** An exporter tries again for as long as its time allows, and holds up the end of the process with it. */
const SENDING_MS = 2_500;

/** The part of an exporter that is wrapped. */
interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** Spans and metrics of all sessions of this process, sent as the `OTEL_*` variables say: the SDK and its exporters read them. */
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
  /** What an exporter cannot send is lost to it without a word: the first time is remembered, to be said in the end. */
  const watched = <Items, Kind extends Exporter<Items>>(exporter: Kind): Kind => {
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
    spanProcessors: exporters.traces.map((exporter) => new BatchSpanProcessor({ exporter: watched(exporter) })),
  });
  const meters = new MeterProvider({
    resource,
    readers: exporters.metrics.map((exporter) => new PeriodicExportingMetricReader({ exporter: watched(exporter) })),
  });
  return {
    onEvent: telemetry({ tracer: tracers.getTracer(NAME, version), meter: meters.getMeter(NAME, version) }),
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

import type { Environment } from "./command-environment.ts";

/** The telemetry that the standard OpenTelemetry variables request. */
export type TelemetryChoice =
  | { readonly kind: "none" }
  | { readonly kind: "otlp"; readonly traces: "sent" | "off"; readonly metrics: "sent" | "off" }
  /** An unsupported protocol or exporter. */
  | { readonly kind: "unusable"; readonly because: string };

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

/** Reads the OpenTelemetry variables. Sends nothing unless an endpoint is set or an exporter is `otlp`. */
export function readTelemetryChoice(environment: Environment): TelemetryChoice {
  if (environment["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return { kind: "none" };
  const traces = isRequested(environment, "TRACES") ? "sent" : "off";
  const metrics = isRequested(environment, "METRICS") ? "sent" : "off";
  if (traces === "off" && metrics === "off") return { kind: "none" };
  const protocol = environment["OTEL_EXPORTER_OTLP_PROTOCOL"]?.trim() ?? "";
  if (protocol !== "" && protocol !== "http/protobuf") {
    return {
      kind: "unusable",
      because: `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}; only http/protobuf is supported`,
    };
  }
  return { kind: "otlp", traces, metrics };
}

function isRequested(environment: Environment, signal: "TRACES" | "METRICS"): boolean {
  const chosen = environment[`OTEL_${signal}_EXPORTER`]?.trim() ?? "";
  if (chosen !== "") return chosen.split(",").includes("otlp");
  return Boolean(environment[ENDPOINT] || environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]);
}

import type { Environment } from "./command-environment.ts";

/** The telemetry that the standard OpenTelemetry variables ask for. */
export type TelemetryChoice =
  | { readonly kind: "none" }
  | { readonly kind: "otlp"; readonly traces: "sent" | "off"; readonly metrics: "sent" | "off" }
  /** An unsupported protocol or exporter. */
  | { readonly kind: "unusable"; readonly because: string };

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

/** Reads the variables. Nothing is sent unless an endpoint is set or `otlp` is chosen. */
export function readTelemetryChoice(environment: Environment): TelemetryChoice {
  if (environment["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return { kind: "none" };
  const traces = isWanted(environment, "TRACES") ? "sent" : "off";
  const metrics = isWanted(environment, "METRICS") ? "sent" : "off";
  if (traces === "off" && metrics === "off") return { kind: "none" };
  const protocol = environment["OTEL_EXPORTER_OTLP_PROTOCOL"]?.trim() ?? "";
  if (protocol !== "" && protocol !== "http/protobuf") {
    return {
      kind: "unusable",
      because: `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}; only http/protobuf is spoken here`,
    };
  }
  return { kind: "otlp", traces, metrics };
}

function isWanted(environment: Environment, signal: "TRACES" | "METRICS"): boolean {
  const chosen = environment[`OTEL_${signal}_EXPORTER`]?.trim() ?? "";
  if (chosen !== "") return chosen.split(",").includes("otlp");
  return Boolean(environment[ENDPOINT] || environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]);
}

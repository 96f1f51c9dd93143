import type { RunTelemetry } from "palimpsest/telemetry";

/** For a worker without telemetry. */
export const UNSEEN_RUN: RunTelemetry = {
  tell: () => undefined,
  isInTurn: () => true,
  traceparent: () => undefined,
  within: (work) => work(),
};

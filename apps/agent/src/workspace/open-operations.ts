import type { SessionEvent } from "palimpsest";
import type { OpenedFlags } from "../operations/open-flags.ts";
import type { Environment } from "./command-environment.ts";
import type { AgentTelemetry } from "./open-telemetry.ts";
import { readTelemetryChoice } from "./telemetry-choice.ts";

export interface OperationsOptions {
  readonly environment: Environment;
  readonly agentHome: string;
  /** The module with the client of a flag service, from the user's settings. @default none */
  readonly flags?: string;
}

/** The operator's telemetry and flags. A failure of either does not stop the agent. */
export interface Operations {
  /** Receives all events. Absent without telemetry. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** For spans and metrics beside those of events. Absent without telemetry. */
  readonly instruments?: AgentTelemetry["instruments"];
  readonly flags?: OpenedFlags["client"];
  /** Requested features that are not available, one line each. */
  readonly problems: readonly string[];
  /** Sends the remaining data. Resolves to the problems, one line each. */
  close(): Promise<readonly string[]>;
}

/** How long the program waits for a collector at exit. */
const FLUSH_MS = 3_000;
const PACKAGES =
  "npm install @opentelemetry/sdk-trace @opentelemetry/sdk-metrics @opentelemetry/resources @opentelemetry/exporter-trace-otlp-proto @opentelemetry/exporter-metrics-otlp-proto";

/** Opens the requested features. Loads no code for the others. */
export async function openOperations({ environment, agentHome, flags: path }: OperationsOptions): Promise<Operations> {
  const problems: string[] = [];
  const telemetry = await openWished(environment, problems);
  const flags = path === undefined ? undefined : await openNamed(path, agentHome, problems);
  return {
    problems,
    ...(telemetry === undefined ? {} : { onEvent: telemetry.onEvent, instruments: telemetry.instruments }),
    ...(flags === undefined ? {} : { flags: flags.client }),
    async close() {
      const unsent = await telemetry?.close(FLUSH_MS);
      await flags?.close().catch(() => undefined);
      return unsent === undefined ? [] : [`Telemetry could not be sent: ${unsent}. Nothing else is affected.`];
    },
  };
}

async function openWished(environment: Environment, problems: string[]): Promise<AgentTelemetry | undefined> {
  const choice = readTelemetryChoice(environment);
  if (choice.kind === "none") return undefined;
  if (choice.kind === "unusable") {
    problems.push(`No telemetry is sent: ${choice.because}.`);
    return undefined;
  }
  try {
    const { openTelemetry } = await import("./open-telemetry.ts");
    return await openTelemetry(choice, environment);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    problems.push(
      isMissing
        ? `No telemetry is sent: packages of OpenTelemetry are missing. Install them: ${PACKAGES}`
        : `No telemetry is sent: ${textOf(error)}.`,
    );
    return undefined;
  }
}

async function openNamed(path: string, agentHome: string, problems: string[]): Promise<OpenedFlags | undefined> {
  try {
    const { openFlags } = await import("../operations/open-flags.ts");
    return await openFlags(path, agentHome);
  } catch (error) {
    problems.push(`No flags are read: the module ${path} (setting "flags") cannot be used: ${textOf(error)}.`);
    return undefined;
  }
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}

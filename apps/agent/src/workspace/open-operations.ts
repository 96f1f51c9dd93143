// Opens the operator's telemetry and feature flags.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { SessionEvent, SettingsSource } from "palimpsest";
import type { Environment } from "./command-environment.ts";
import type { AgentTelemetry } from "./open-telemetry.ts";
import { readTelemetryChoice } from "./telemetry-choice.ts";

interface OperationsOptions {
  readonly environment: Environment;
  readonly agentHome: string;
  /** The module that exports the client of a flag service, from the user's settings. @default no flag service */
  readonly flags?: string;
}

/** The operator's telemetry and flags. The agent continues if either fails. */
export interface Operations {
  /** Receives all events. Absent without telemetry. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** The tracer and meter, for other spans and metrics. Absent without telemetry. */
  readonly instruments?: AgentTelemetry["instruments"];
  readonly flags?: OpenedFlags["client"];
  /** Requested features that are not available, one line each. */
  readonly problems: readonly string[];
  /** Sends the remaining data. Resolves to problems, one line each. */
  close(): Promise<readonly string[]>;
}

/** How long the program waits for a collector at exit. */
const FLUSH_MS = 3_000;
const PACKAGES =
  "npm install @opentelemetry/sdk-trace @opentelemetry/sdk-metrics @opentelemetry/resources @opentelemetry/exporter-trace-otlp-proto @opentelemetry/exporter-metrics-otlp-proto";

/** Opens the requested features. Does not load code for the others. */
export async function openOperations({ environment, agentHome, flags: path }: OperationsOptions): Promise<Operations> {
  const problems: string[] = [];
  const telemetry = await openRequestedTelemetry(environment, problems);
  const flags = path === undefined ? undefined : await openFlagModule(path, agentHome, problems);
  return {
    problems,
    ...(telemetry === undefined ? {} : { onEvent: telemetry.onEvent, instruments: telemetry.instruments }),
    flags: flags?.client,
    async close() {
      const unsent = await telemetry?.close(FLUSH_MS);
      await flags?.close().catch(() => undefined);
      return unsent === undefined ? [] : [`Telemetry could not be sent: ${unsent}. Nothing else is affected.`];
    },
  };
}

async function openRequestedTelemetry(
  environment: Environment,
  problems: string[],
): Promise<AgentTelemetry | undefined> {
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
        ? `No telemetry is sent: OpenTelemetry packages are missing. Install them: ${PACKAGES}`
        : `No telemetry is sent: ${textOf(error)}.`,
    );
    return undefined;
  }
}

async function openFlagModule(path: string, agentHome: string, problems: string[]): Promise<OpenedFlags | undefined> {
  try {
    return await openFlags(path, agentHome);
  } catch (error) {
    problems.push(`No flags are read: the module ${path} (setting "flags") cannot be used: ${textOf(error)}.`);
    return undefined;
  }
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]!;
}

type FlagClient = NonNullable<SettingsSource["flags"]>;

interface OpenedFlags {
  readonly client: FlagClient;
  close(): Promise<void>;
}

/** How long to wait for the flag service at startup. */
const DEADLINE_MS = 10_000;

/**
 * Loads the module that the user's settings name. The module exports `flags`, an OpenFeature client, and may export
 * `close`, which is called at the end. Only the user's own settings can name a module; a repository cannot.
 * @param path the path from the settings; a relative path starts at our folder in the user's home
 */
async function openFlags(path: string, agentHome: string): Promise<OpenedFlags> {
  const file = resolve(agentHome, path);
  const { flags, close } = await within(DEADLINE_MS, load(file));
  if (typeof (flags as Partial<FlagClient> | undefined)?.getStringDetails !== "function") {
    throw new Error("it must export `flags`, an OpenFeature client");
  }
  return {
    client: flags as FlagClient,
    close: async () => void (typeof close === "function" ? await close() : undefined),
  };
}

async function load(file: string): Promise<{ readonly flags?: unknown; readonly close?: unknown }> {
  return import(pathToFileURL(file).href);
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`it was not ready within ${ms / 1_000} s`)), ms);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

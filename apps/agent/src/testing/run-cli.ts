import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import {
  type Clock,
  compatibleProfiles,
  createAnthropic,
  createBedrock,
  createOpenAiChat,
  createOpenAiResponses,
  type Exchange,
  type Script,
  type SimulatorServer,
  serve,
} from "@palimpsest/provider-simulator";
import { onTestFinished } from "vitest";
import { AGENT_PROGRAM, COMPILED } from "./agent-program.ts";
import { noonZone } from "./noon-zone.ts";
import type { TemporaryProject } from "./temporary-project.ts";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly said: string;
}

export interface CommandLine {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

export interface Cli {
  readonly server: SimulatorServer;
  readonly folder: string;
  /** The environment of the program. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs the program in a process of its own, in the project. */
  start(args: readonly string[], options?: StartOptions): CommandLine;
  run(args: readonly string[], options?: StartOptions): Promise<Ended>;
  /** Requests that the simulator rejected. Tests expect none. */
  refused(): readonly Exchange[];
}

export interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** @default nothing */
  readonly input?: string | "open";
  /** `open`: the test reads standard output itself. @default "gathered" */
  readonly output?: "gathered" | "open";
}

export interface CliOptions {
  /** The simulator's clock. @default the system's clock */
  readonly clock?: Clock;
}

/** Runs the command line with a simulated provider whose model follows a script. */
export async function startCli(
  { folder, home }: TemporaryProject,
  script: Script,
  { clock }: CliOptions = {},
): Promise<Cli> {
  const time = clock === undefined ? {} : { clock };
  const faceOptions = { script, ...time };
  const chat = createOpenAiChat({ ...faceOptions, profile: compatibleProfiles.vLLM });
  const faces = [createAnthropic(faceOptions), createOpenAiResponses(faceOptions), chat, createBedrock(faceOptions)];
  const server = await serve({ faces, ...time });
  onTestFinished(() => server.close());
  const ours = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: server.url,
    TZ: noonZone(),
    ...COMPILED,
  };
  const start: Cli["start"] = (args, { environment = {}, input = "", output = "gathered" } = {}) => {
    const [node, ...words] = AGENT_PROGRAM;
    const child = spawn(node, [...words, ...args], {
      cwd: folder,
      env: { ...ours, ...environment },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    if (input !== "open") child.stdin.end(input);
    const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
    const printed = output === "open" ? "" : text(child.stdout);
    const ended = Promise.all([closed, printed, text(child.stderr)]).then(([code, out, said]) => ({
      code,
      out,
      said,
    }));
    return { process: child, ended };
  };
  return {
    server,
    folder,
    environment: ours,
    start,
    run: (args, options) => start(args, options).ended,
    refused: () =>
      server.recorder.exchanges.filter(({ outcome }) => outcome.kind === "refused" || outcome.kind === "broken"),
  };
}

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  createAnthropic,
  createOpenAiChat,
  createOpenAiResponses,
  type Exchange,
  type Script,
  serve,
} from "@palimpsest/provider-simulator";

const MAIN = fileURLToPath(new URL("src/main.ts", import.meta.resolve("palimpsest-agent/package.json")));

export interface StartedAgent {
  /** The project's folder, and the home of its user. */
  readonly folder: string;
  readonly home: string;
  /** The simulator's. */
  readonly url: string;
  /** Requests that arrived at the simulator, oldest first. */
  readonly exchanges: () => readonly Exchange[];
  put(path: string, content: string | Uint8Array): void;
  /** Runs the command line in a process of its own until it ends. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<EndedAgent>;
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams;
  close(): Promise<void>;
}

export interface EndedAgent {
  readonly code: number | null;
  readonly out: string;
  readonly said: string;
}

/** The agent's command line, from its sources, in an empty home, against a simulated provider whose model follows a script. */
export async function startAgent(base: string, script: Script): Promise<StartedAgent> {
  const [folder, coordination] = [join(base, "project"), join(base, "home")];
  for (const path of [folder, coordination]) mkdirSync(path, { recursive: true });
  const faces = [createAnthropic({ script }), createOpenAiResponses({ script }), createOpenAiChat({ script })];
  const server = await serve({ faces });
  const children: ChildProcessWithoutNullStreams[] = [];
  const ours = { HOME: coordination, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url };
  const start: StartedAgent["start"] = (args, environment = {}) => {
    const child = spawn(process.execPath, ["--conditions=palimpsest-source", "--no-warnings", MAIN, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...ours, ...environment },
    });
    children.push(child);
    return child;
  };
  return {
    folder,
    home: coordination,
    url: server.url,
    start,
    exchanges: () => server.recorder.exchanges,
    put(path, content) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    async run(args, environment) {
      const child = start(args, environment);
      child.stdin.end();
      const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
      const [code, out, said] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
      return { code, out, said };
    },
    async close() {
      for (const child of children) child.kill("SIGKILL");
      await server.close();
    },
  };
}

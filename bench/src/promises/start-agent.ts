import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { answer, type Exchange, type Script } from "@palimpsest/provider-simulator";
import { serveProviders } from "./serve-providers.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.resolve("palimpsest-agent/package.json")));
/** As built where that is asked for, as by the gate: it is loaded in less than half the time. */
const PROGRAM =
  process.env["PALIMPSEST_AGENT"] === "built"
    ? ["--no-warnings", at("dist/main.js")]
    : ["--conditions=palimpsest-source", "--no-warnings", at("src/main.ts")];

export interface StartedAgent extends AsyncDisposable {
  /** The project's folder, and the home of its user. */
  readonly folder: string;
  readonly home: string;
  /** The simulator's. */
  readonly url: string;
  /** Requests that arrived at the simulator, oldest first. */
  readonly exchanges: () => readonly Exchange[];
  /** Writes a file of the project. */
  put(path: string, content: string | Uint8Array): void;
  /** Writes a file of the user's own settings. */
  putSettings(name: string, content: string | object): void;
  /** Puts a file where the results of the sessions so far would go: none can be stored any more. */
  blockResults(): void;
  /** Runs the command line in a process of its own until it ends. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<EndedAgent>;
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): ChildProcessWithoutNullStreams;
}

export interface EndedAgent {
  readonly code: number | null;
  readonly out: string;
  readonly said: string;
}

/** The agent's command line, from its sources, in an empty home, against a simulated provider whose model follows a script. */
export async function startAgent(base: string, script: Script = () => answer("Done.")): Promise<StartedAgent> {
  const [folder, home] = [join(base, "project"), join(base, "home")];
  for (const path of [folder, home]) mkdirSync(path, { recursive: true });
  const server = await serveProviders(script);
  const children: ChildProcessWithoutNullStreams[] = [];
  // One cache for all cases: in a home of its own, every start would compile everything again.
  const { PATH, NODE_COMPILE_CACHE = join(tmpdir(), "palimpsest-compiled") } = process.env;
  const ours = { PATH, HOME: home, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url, NODE_COMPILE_CACHE };
  const start: StartedAgent["start"] = (args, environment = {}) => {
    const child = spawn(process.execPath, [...PROGRAM, ...args], {
      cwd: folder,
      env: { ...ours, ...environment },
    });
    children.push(child);
    return child;
  };
  return {
    folder,
    home,
    url: server.url,
    start,
    exchanges: () => server.recorder.exchanges,
    put(path, content) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    putSettings(name, content) {
      mkdirSync(join(home, ".palimpsest"), { recursive: true, mode: 0o700 });
      writeFileSync(join(home, ".palimpsest", name), typeof content === "string" ? content : JSON.stringify(content));
    },
    blockResults() {
      const kept = join(home, ".palimpsest");
      const folders = readdirSync(kept, { recursive: true, encoding: "utf8" });
      const results = join(kept, folders.find((path) => basename(path) === "sessions")!, "tool-results");
      rmSync(results, { recursive: true, force: true });
      writeFileSync(results, "");
    },
    async run(args, environment) {
      const child = start(args, environment);
      child.stdin.end();
      const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
      const [code, out, said] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
      return { code, out, said };
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill("SIGKILL");
      await server.close();
    },
  };
}

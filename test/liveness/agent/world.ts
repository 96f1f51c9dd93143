import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import {
  type Ask,
  answer,
  createAnthropic,
  type ManualClock,
  manualClock,
  type Reply,
  type Script,
  serve,
} from "@palimpsest/provider-simulator";
import type { SessionEvent } from "palimpsest";
import { createHere, type Talk } from "../../../apps/agent/src/testing/run-here.ts";
import { inFolder } from "../in-folder.ts";
import type { Witness } from "../witness.ts";
import { usualMind, type Values } from "../world.ts";

/** What stands in the agent's `settings.json`. */
export type AgentValues = Readonly<Record<string, unknown>>;

export interface AgentSetup {
  /** Of the engine, in `engine.json`. */
  readonly engine?: Values;
  /** Of the user, in `settings.json`. */
  readonly settings?: AgentValues;
  readonly environment?: Readonly<Record<string, string>>;
  /** Files beside the settings, by name. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** The model's mind for what is no turn of the conversation; undefined: as usual. */
  readonly mind?: (ask: Ask) => Reply | undefined;
  /** What the model says in the conversation, one after the other. */
  readonly replies?: readonly Reply[];
}

/** The agent's commands, in a project and a home of their own, against the strict simulator. */
export interface AgentWorld {
  readonly folder: string;
  readonly home: string;
  readonly clock: ManualClock;
  /** How many requests were made so far. */
  requests(): number;
  /** Runs a command; what it prints, says and returns is part of what is seen. */
  run(...args: readonly string[]): Promise<void>;
  talk(...args: readonly string[]): Talk;
  put(path: string, content: string): string;
}

const MONDAY_MS = Date.UTC(2026, 0, 5);
const PROGRAMS = ["bash", "sh", "env", "cat", "echo", "git", "ls", "seq", "sleep"];

/** Everything that can be seen of it: requests, what is printed, what is said, how it ends. */
export function withAgent(
  setup: AgentSetup,
  witness: Witness,
  act: (world: AgentWorld) => Promise<void>,
): Promise<string> {
  return inFolder(async (base) => {
    const [folder, home, bin] = ["project", "home", "bin"].map((name) => join(base, name)) as [string, string, string];
    for (const path of [folder, join(home, ".palimpsest"), bin]) mkdirSync(path, { recursive: true, mode: 0o700 });
    const put = (path: string, content: string): string => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    };
    put(join(home, ".palimpsest/engine.json"), JSON.stringify(setup.engine ?? {}));
    put(join(home, ".palimpsest/settings.json"), JSON.stringify(setup.settings ?? {}));
    for (const [name, content] of Object.entries(setup.homeFiles ?? {})) put(join(home, ".palimpsest", name), content);
    linkPrograms(bin);
    const clock = manualClock(MONDAY_MS);
    const queue = [...(setup.replies ?? [])];
    const script: Script = (ask) => setup.mind?.(ask) ?? usualMind(ask) ?? queue.shift() ?? answer("Done.");
    const server = await serve({ faces: [createAnthropic({ script, clock })], clock });
    const environment = {
      PATH: bin,
      HOME: home,
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: server.url,
      ...setup.environment,
    };
    const here = createHere({ folder, environment, clock });
    const seen: unknown[] = [];
    // The client library, and what looks for programs, look there by themselves.
    const before = { ...process.env };
    Object.assign(process.env, environment);
    try {
      await act({
        folder,
        home,
        clock,
        requests: () => server.recorder.exchanges.length,
        put: (path, content) => put(join(folder, path), content),
        async run(...args) {
          const { code, out, said } = await here.run(args);
          for (const event of eventsOf(out)) witness.onEvent(event);
          seen.push([code, printed(out), said]);
        },
        talk: (...args) => here.talk(args),
      });
    } finally {
      for (const name of Object.keys(environment)) delete process.env[name];
      Object.assign(process.env, before);
      await server.close();
    }
    const sent = server.recorder.exchanges.map(({ body, atMs }) => `${atMs - MONDAY_MS} ${body}`);
    return JSON.stringify([sent, seen]).replaceAll(base, "BASE").replaceAll(server.url, "SERVER").replaceAll(IDS, "ID");
  });
}

/** Of sessions, in whole or by their beginning, and of the project, whose folder is another each time. */
const IDS =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=--session )[0-9a-f]{8}\b|project-[0-9a-f]{12}/g;

/** What sessions told, of a stream of JSON lines. */
function eventsOf(out: string): readonly SessionEvent[] {
  return linesOf(out).flatMap((line) => (line["kind"] === "session-event" ? [line["event"] as SessionEvent] : []));
}

/** The results; of what happened only the kinds, in no order, because it tells times, and some of it goes on beside. */
function printed(out: string): unknown {
  const lines = linesOf(out);
  if (lines.length === 0) return out;
  const [results, others] = [true, false].map((is) => lines.filter(({ kind }) => (kind === "result") === is));
  return [results, others!.map(kindOf).sort()];
}

function kindOf({ kind, event }: Readonly<Record<string, unknown>>): string {
  return `${String(kind)} ${(event as { readonly kind?: string } | undefined)?.kind ?? ""}`;
}

function linesOf(out: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = out.split("\n").filter((line) => line.startsWith('{"'));
  return lines.map((line) => JSON.parse(line));
}

/** No sandbox is among them: whether there is one depends on the machine. */
function linkPrograms(bin: string): void {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const program of PROGRAMS) {
    const found = folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(bin, program));
  }
}

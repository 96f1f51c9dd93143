import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { answer, callTool, createAnthropic, type Reply, serve } from "@palimpsest/provider-simulator";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Experiment } from "../experiment.ts";
import { percentile, round } from "../statistics.ts";
import { pacingProxy } from "./pacing-proxy.ts";
import { openPseudoTerminal, type PseudoTerminal } from "./pseudo-terminal.ts";

const SIZES = {
  full: { turns: 1_000, streamBytes: 200_000, streamMs: 10_000 },
  quick: { turns: 100, streamBytes: 40_000, streamMs: 2_000 },
} as const;
/** One response has no room for all of it: so much is said between calls of a tool. */
const PARTS = 4;
const KEY_EVERY_MS = 60;
/** Letters that no answer has, each typed once: what is echoed can be told from what was there. */
const LETTERS = [
  range(0x0430, 0x045f),
  range(0x03b1, 0x03c9),
  range(0x10d0, 0x10f0),
  range(0x0531, 0x0556),
  range(0x0561, 0x0586),
].flat();

/** Measures the load of the terminal during a long answer, and how long a key waits for its echo. */
export const tuiExperiment: Experiment = {
  name: "tui",
  about: "the built agent in a pseudo terminal: 2,000 messages, then 200 KB in 10 s (after `npm run build`)",

  run: ({ size }) =>
    inTemporaryFolder(async (base) => {
      const { turns, streamBytes, streamMs } = SIZES[size];
      const main = fileURLToPath(new URL("dist/main.js", import.meta.resolve("palimpsest-agent/package.json")));
      if (!existsSync(main)) throw new Error("The agent is not built. Run `npm run build` first.");
      let paceMs = 0;
      let parts = 0;
      const server = await serve({
        faces: [
          createAnthropic({
            script: ({ tools }) => (paceMs === 0 ? answer("Yes.") : part(++parts, streamBytes, tools)),
          }),
        ],
      });
      const proxy = await pacingProxy(server.url, () => paceMs);
      const [folder, home] = [join(base, "project"), join(base, "home")];
      for (const path of [folder, home, join(home, ".palimpsest")]) mkdirSync(path, { mode: 0o700 });
      // Otherwise the first start asks whether memories are saved.
      writeFileSync(join(home, ".palimpsest", "settings.json"), JSON.stringify({ memory: "read" }));
      const probeFile = join(base, "probe.json");
      const environment = {
        PATH: process.env["PATH"],
        HOME: home,
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: proxy.url,
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
        PROBE_FILE: probeFile,
      };
      await writeTurns(main, turns, { cwd: folder, env: environment });
      const probe = fileURLToPath(new URL("./probe.ts", import.meta.url));
      const line = `'${process.execPath}' --no-warnings --import '${probe}' '${main}' --continue`;
      const terminal = openPseudoTerminal({ line, folder, environment });
      try {
        const pid = await terminal.pid();
        await terminal.sees("cache warm");
        await readProbe(pid, probeFile);
        paceMs = streamMs / PARTS;
        terminal.press("Tell me all of it\r");
        await terminal.sees("Answering");
        const echoesMs = await typeWhile(terminal, streamMs);
        await terminal.sees("The very end.");
        const { maxDelayMs, frames, tookMs, cpuMs, rssBytes } = await readProbe(pid, probeFile);
        return {
          messages: 2 * turns,
          streamed_bytes: streamBytes,
          stream_ms: streamMs,
          max_event_loop_delay_ms: round(maxDelayMs),
          rss_mb: round(rssBytes / 2 ** 20),
          renders_per_second: round((frames / tookMs) * 1_000),
          keys: echoesMs.length,
          echo_p50_ms: round(percentile(echoesMs, 50)),
          echo_p99_ms: round(percentile(echoesMs, 99)),
          // Of one processor: what is above it was waited for, not worked.
          cpu_share: round(cpuMs / tookMs),
        };
      } finally {
        await terminal.close();
        proxy.close();
        await server.close();
      }
    }),
};

/** A session of so many turns, by the agent itself. */
async function writeTurns(
  main: string,
  turns: number,
  options: { readonly cwd: string; readonly env: object },
): Promise<void> {
  const args = [main, "--input-format", "stream-json", "--output-format", "json"];
  const child = spawn(process.execPath, ["--no-warnings", ...args], {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let ended = 0;
  const say = (): void => void child.stdin.write(`${JSON.stringify({ kind: "user", text: `Question ${ended}` })}\n`);
  child.stdout.on("data", (chunk: Buffer) => {
    // A turn for each: what comes while a turn runs would become part of it.
    if (!chunk.includes(10)) return;
    ended++;
    if (ended < turns) say();
    else child.stdin.end();
  });
  say();
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`The session could not be written: the agent ended with ${code}.`);
}

async function typeWhile(terminal: PseudoTerminal, forMs: number): Promise<number[]> {
  const echoesMs: number[] = [];
  const startedMs = performance.now();
  for (const letter of LETTERS) {
    if (performance.now() - startedMs > forMs - 500) break;
    terminal.press(letter);
    echoesMs.push(await terminal.sees(letter));
    await pause(KEY_EVERY_MS);
  }
  return echoesMs;
}

interface Probed {
  readonly maxDelayMs: number;
  readonly frames: number;
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** What the probe has measured since it was last read. */
async function readProbe(pid: number, file: string): Promise<Probed> {
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (;;) {
    if (existsSync(file)) {
      const text = readFileSync(file, "utf8");
      if (text !== "") return JSON.parse(text) as Probed;
    }
    await pause(20);
  }
}

/** A part of the answer, and a call of a tool behind each but the last. */
function part(number: number, streamBytes: number, tools: readonly string[]): Reply {
  if (!tools.includes("Glob")) throw new Error("The agent has no Glob to be called.");
  const text = long(streamBytes / PARTS);
  if (number === PARTS) return answer(`${text}\nThe very end.`);
  return { words: [{ kind: "text", text }, callTool("Glob", { pattern: `*.part${number}` })] };
}

function long(bytes: number): string {
  const lines: string[] = [];
  for (let size = 0, at = 0; size < bytes; at++) {
    const line = LINES[at % LINES.length]!;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join("\n");
}

const LINES = [
  "The **limit** is wrong in `limit.ts`, and this is why it matters to whoever reads it.",
  "- a point in a list, with `code`",
  "```ts",
  "const limit = 10; // too low",
  "```",
];

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Command } from "./command-contestant.ts";
import type { Contestant, Place, Running, TurnEnd } from "./contestant.ts";
import { peakMbOf } from "./peak-memory.ts";

export interface AcpContestant extends Omit<Contestant, "start"> {
  /** Writes settings, before the first start in a home. */
  prepare(place: Place): void;
  /** Starts the agent as a server of the Agent Client Protocol on its standard input and output. */
  command(place: Place): Command;
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly sessionId?: string };
  /** "late": there was no answer in time. */
  readonly error?: unknown;
}

/** So long may an agent take to start and to load what it left. */
const START_LIMIT_MS = 60_000;

/** A whole agent that an editor would drive: one process for all turns, over the Agent Client Protocol. After a restart it loads its session. */
export function acpContestant({ prepare, command, ...contestant }: AcpContestant): Contestant {
  return {
    ...contestant,
    async start(place) {
      const file = join(place.home, ".gauntlet-session");
      if (!existsSync(file)) prepare(place);
      const { program, args, environment } = command(place);
      const agent = startAgent({ program, args, environment: { HOME: place.home, ...environment } }, place.workspace);
      const where = { cwd: place.workspace, mcpServers: [] };
      await agent.call("initialize", { protocolVersion: 1, clientCapabilities: {} }, START_LIMIT_MS);
      let sessionId = existsSync(file) ? readFileSync(file, "utf8") : "";
      if (sessionId === "") {
        const { result } = await agent.call("session/new", where, START_LIMIT_MS);
        sessionId = result?.sessionId ?? "";
        writeFileSync(file, sessionId);
      } else await agent.call("session/load", { ...where, sessionId }, START_LIMIT_MS);
      return {
        ...agent.running,
        async turn(text, limitMs) {
          const answer = await agent.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, limitMs);
          return toEnd(answer);
        },
      };
    },
  };
}

interface StartedAgent {
  call(method: string, params: object, limitMs: number): Promise<Answer>;
  readonly running: Omit<Running, "turn">;
}

function startAgent({ program, args, environment }: Command, cwd: string): StartedAgent {
  const child = spawn(program, args, {
    cwd,
    // Its own group, so that a kill reaches the processes that it starts.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], ...environment },
  });
  const ended = once(child, "close");
  const peak = peakMbOf(child.pid!);
  const waiting = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const { id, method, ...rest } = JSON.parse(line) as Answer;
    if (id === undefined || method !== undefined) return;
    waiting.get(id)?.(rest);
    waiting.delete(id);
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    peak.sample();
    process.kill(-child.pid!, "SIGKILL");
    await ended;
  };
  return {
    async call(method, params, limitMs) {
      const id = ++calls;
      const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      const late = Promise.withResolvers<Answer>();
      const timer = setTimeout(() => late.resolve({ error: "late" }), limitMs);
      const answer = await Promise.race([answered, late.promise, ended.then(() => ({ error: "The process ended." }))]);
      clearTimeout(timer);
      peak.sample();
      return answer;
    },
    running: { kill, close: kill, peakMb: peak.mb },
  };
}

function toEnd({ error }: Pick<Answer, "error">): TurnEnd {
  if (error === undefined) return { kind: "ended" };
  return error === "late" ? { kind: "late" } : { kind: "failed", message: JSON.stringify(error).slice(0, 500) };
}

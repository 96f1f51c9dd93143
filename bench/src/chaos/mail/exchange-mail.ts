import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { mount, unmount } from "../mount.ts";
import { readLog } from "../open-log.ts";
import { inTemporaryFolder } from "../temporary-folder.ts";
import { auditMail, type MailLosses, receiverOf, type Sent } from "./mail-ledger.ts";
import type { AgentLine, AgentPlan, MailPayload } from "./mail-process.ts";

export interface MailFindings extends MailLosses {
  readonly sent: number;
  readonly sigkills: number;
  readonly disks_filled: number;
  /** Sends, appends and acknowledgements that failed because of it, and were done again. */
  readonly disk_full_errors: number;
  /** Agents that ended by themselves. */
  readonly crashed: number;
  /** Why no disk was filled, where the machine does not let us mount one. */
  readonly disks_skipped: string | null;
}

interface Agent {
  readonly name: string;
  process: ChildProcessByStdio<Writable, Readable, null>;
  /** The last message it was told is on the disk: one after the other, so all before it are too. */
  sentThrough: number;
  state: "sending" | "sent-all";
  /** It is killed when it has sent so many. By what it did and not by the clock: a slow machine must not only start agents. */
  killedAtStep: number;
}

// Room for the home, the logs and what SQLite keeps beside them; the ballast takes the rest.
const DISK_BYTES = 96 * 1_048_576;

/**
 * Agents write to each other while they are killed and started again, and the disk under them fills up again and again.
 * When all have sent what they had to, they finish reading, and their logs are held against what they were told.
 */
export function exchangeMail(agents: number, messages: number): Promise<MailFindings> {
  return inTemporaryFolder(async (folder) => {
    let skipped: string | null = null;
    try {
      mount("-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", folder);
    } catch (error) {
      skipped = (error as Error).message.split("\n")[0]!;
    }
    try {
      return await exchange(folder, { agents, messages, skipped });
    } finally {
      if (skipped === null) unmount(folder);
    }
  });
}

async function exchange(
  folder: string,
  { agents: count, messages, skipped }: { agents: number; messages: number; skipped: string | null },
): Promise<MailFindings> {
  const names = Array.from({ length: count }, (_, index) => `agent-${index}`);
  const failures = new Map<string, number>();
  let crashed = 0;
  let phase: "sending" | "finishing" = "sending";

  const start = (agent: Agent): void => {
    const fromStep = agent.sentThrough + 1;
    agent.killedAtStep = fromStep + Math.floor(Math.random() * Math.max(20, messages / 10));
    agent.process = startAgent({ folder, agents: names, name: agent.name, fromStep, toStep: messages }, (line) => {
      if (line.kind === "sent") agent.sentThrough = line.step;
      else if (line.kind === "sent-all") agent.state = "sent-all";
      else failures.set(line.reason, (failures.get(line.reason) ?? 0) + 1);
    });
    agent.process.once("exit", (code) => {
      if (code !== null && code !== 0) crashed++;
      if (phase === "sending" && code !== null) start(agent);
    });
  };
  const agents = names.map((name) => ({ name, sentThrough: 0, state: "sending", killedAtStep: 0 }) as Agent);
  for (const agent of agents) start(agent);
  const isSending = (): boolean => agents.some(({ state }) => state === "sending");

  const killing = (async (): Promise<number> => {
    let kills = 0;
    while (isSending()) {
      await sleep(Math.random() * 10);
      // Those that have sent everything are killed as receivers, now and then.
      const victim = agents.find(({ sentThrough, killedAtStep, state }) =>
        state === "sending" ? sentThrough >= killedAtStep : Math.random() < 0.0005,
      );
      if (victim === undefined) continue;
      const { process: killed } = victim;
      killed.kill("SIGKILL");
      await Promise.all([once(killed, "exit"), killed.stdout.readableEnded || once(killed.stdout, "end")]);
      start(victim);
      kills++;
    }
    return kills;
  })();
  const filling = (async (): Promise<number> => {
    let filled = 0;
    while (skipped === null && isSending()) {
      await sleep(200 + Math.random() * 400);
      await fill(join(folder, "ballast"));
      filled++;
      await sleep(30 + Math.random() * 120);
      await rm(join(folder, "ballast"), { force: true });
    }
    return filled;
  })();
  const [sigkills, filled] = await Promise.all([killing, filling]);
  phase = "finishing";
  await Promise.all(
    agents.map(async ({ process: running }) => {
      const ended = once(running, "exit");
      running.stdin.write("finish\n");
      await ended;
    }),
  );

  const sent = agents.flatMap(({ name: from, sentThrough }) =>
    Array.from({ length: sentThrough }, (_, index): Sent => {
      const step = index + 1;
      return { from, to: receiverOf(names, from, step), step };
    }),
  );
  const logs = await Promise.all(
    names.map(async (agent) => {
      const entries = await readLog(folder, `session-${agent}`);
      return { agent, messages: entries.map(({ payload = "{}" }) => JSON.parse(payload) as MailPayload) };
    }),
  );
  return {
    sent: sent.length,
    ...auditMail(sent, logs, (from, step) => receiverOf(names, from, step)),
    sigkills,
    disks_filled: filled,
    disk_full_errors: failures.get("disk-full") ?? 0,
    crashed,
    disks_skipped: skipped,
  };
}

function startAgent(options: AgentPlan, onLine: (line: AgentLine) => void): Agent["process"] {
  const script = fileURLToPath(new URL("./mail-process.ts", import.meta.url));
  const args = ["--conditions=palimpsest-source", "--no-warnings", script, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  let rest = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    // A line that was cut by the kill was not told to its end, and does not count as told.
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(JSON.parse(line) as AgentLine);
  });
  return child;
}

/** Until nothing more fits. */
async function fill(path: string): Promise<void> {
  for (const bytes of [1_048_576, 65_536, 4_096]) {
    const block = Buffer.alloc(bytes);
    try {
      for (;;) await writeFile(path, block, { flag: "a" });
    } catch {
      // Full, but for less than a block.
    }
  }
}

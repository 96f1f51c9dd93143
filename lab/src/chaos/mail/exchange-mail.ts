import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readLog } from "../open-log.ts";
import { auditMail, type MailLosses, receiverOf, type Sent } from "./mail-ledger.ts";
import type { AgentLine, AgentPlan, MailPayload } from "./mail-process.ts";

export interface MailFindings extends MailLosses {
  readonly sent: number;
  readonly sigkills: number;
  /** How often harm was done to what keeps the mail. */
  readonly harmed: number;
  /** Sends, appends and acknowledgements that failed, and were done again, by reason. */
  readonly failures: ReadonlyMap<string, number>;
  /** Agents that ended by themselves. */
  readonly crashed: number;
}

export interface ExchangeOptions extends Pick<AgentPlan, "folder" | "database"> {
  readonly agents: number;
  readonly messages: number;
  /** Done again and again, while agents send. @default nothing */
  readonly harm?: () => Promise<void>;
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

/**
 * Agents write to each other while they are killed and started again, and while what keeps their mail is harmed.
 * When all have sent what they had to, they finish reading, and their logs are held against what they were told.
 */
export async function exchangeMail(options: ExchangeOptions): Promise<MailFindings> {
  const { folder, database, agents: count, messages, harm } = options;
  const names = Array.from({ length: count }, (_, index) => `agent-${index}`);
  const failures = new Map<string, number>();
  let crashed = 0;
  let phase: "sending" | "finishing" = "sending";

  const start = (agent: Agent): void => {
    const fromStep = agent.sentThrough + 1;
    agent.killedAtStep = fromStep + Math.floor(Math.random() * Math.max(20, messages / 10));
    const plan = { folder, ...(database === undefined ? {} : { database }), agents: names, name: agent.name };
    agent.process = startAgent({ ...plan, fromStep, toStep: messages }, (line) => {
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
  const harming = (async (): Promise<number> => {
    let harmed = 0;
    while (harm !== undefined && isSending()) {
      await sleep(200 + Math.random() * 400);
      await harm();
      harmed++;
    }
    return harmed;
  })();
  const [sigkills, harmed] = await Promise.all([killing, harming]);
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
    harmed,
    failures,
    crashed,
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

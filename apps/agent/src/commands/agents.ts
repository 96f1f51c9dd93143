import { readAgents, type StoredAgent } from "@palimpsest/agents";
import type { Address, SentToSocket } from "@palimpsest/coordination";
import type { Store } from "palimpsest";
import { entryText } from "palimpsest/inspect";
import { type AgentOrder, controlPath, giveOrder, readPhrases } from "../extensions/agents/control-socket.ts";
import { readTeammates, writeToTeammate } from "../extensions/mail/mail-extension.ts";
import { oneLine, table, usd } from "../text/table.ts";
import { findSession, type StoredSession } from "../workspace/stored-sessions.ts";
import { UsageError } from "../workspace/usage-error.ts";
import type { WantedProvider } from "./choose-provider.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject, type Project } from "./open-project.ts";
import { openStoredAgent } from "./open-stored-agent.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";
import { entryLines } from "./text/entry-lines.ts";

/** A task in fewer columns would be unreadable. */
const LEAST_TASK_COLUMNS = 24;
const WORDS = COMMANDS.agents.operands.completes;

/** Lists and controls the agents of a session, even if another process runs the session. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS.agents);
  const [first = "list", named, ...rest] = positionals;
  const word = oneOf("agents", first, WORDS)!;
  return inProject(terminal, async (project) => {
    const stored = await findSession(project.store, values.session);
    const send = (order: AgentOrder) => giveOrder(controlPath(project.places, stored.id), order);
    const isAlive = async (): Promise<boolean> => (await send({ kind: "watch" })) === "done";
    const agents = await readAgents(project.store, stored.id);
    const mates = (await readTeammates(project.places)).filter(({ session }) => session !== stored.id);
    if (word === "list") {
      const now = withStatusLines(
        await withStopped(agents, isAlive),
        await readPhrases(project.places.folderOf(stored.id)),
      );
      const shown = { session: stored.id, title: stored.title, agents: now, teammates: mates };
      const tree = `${treeText(stored, now, { nowMs: terminal.clock.now(), columns: terminal.columns })}${sessionsText(mates)}`;
      await terminal.print(values.json ? JSON.stringify(shown) : tree);
      return EXIT.done;
    }
    const text = rest.join(" ");
    if (word === "send" && text === "") throw new UsageError("The message is missing: palimpsest agents send ID TEXT.");
    const mate = mates.find(({ name }) => name === named);
    if (word === "send" && mate !== undefined && !agents.some(({ name }) => name === named)) {
      const outcome = await writeToTeammate(mate, text);
      await terminal.print(values.json ? JSON.stringify({ to: mate.name, ...outcome }) : outcomeText(outcome));
      return outcome.kind === "taken" ? EXIT.done : EXIT.failed;
    }
    const agent = findAgent(agents, named);
    if (word === "show") return show(agent, values.json === true, terminal, project);
    if (word === "follow") {
      const continues = async () =>
        (await readAgents(project.store, stored.id)).some(
          ({ id, status }) => id === agent.id && status === "running",
        ) && (await isAlive());
      return followLog({
        store: project.store,
        session: agent.session,
        format: values.json ? "json" : "text",
        continues,
        terminal,
      });
    }
    const order: AgentOrder = word === "stop" ? { kind: "stop", id: agent.id } : { kind: "send", to: agent.id, text };
    const outcome = await send(order);
    if (outcome === "absent" && word === "send") return wakeAgent({ agent, text, values, stored, project, terminal });
    const outcomeLine =
      outcome === "done" ? (word === "stop" ? "Stopped." : "Sent.") : `Agent ${labelOf(agent)} is not running.`;
    await terminal.print(values.json ? JSON.stringify({ id: agent.id, outcome }) : outcomeLine);
    return outcome === "done" ? EXIT.done : EXIT.failed;
  });
}

/** Marks agents as stopped if their process ended before the log could say so. */
async function withStopped(
  agents: readonly StoredAgent[],
  isAlive: () => Promise<boolean>,
): Promise<readonly StoredAgent[]> {
  if (!agents.some(({ status }) => status === "running") || (await isAlive())) return agents;
  return agents.map((agent) => (agent.status === "running" ? { ...agent, status: "stopped" } : agent));
}

/** Replaces a running agent's last tool call with its status line, which is more informative. */
function withStatusLines(
  agents: readonly StoredAgent[],
  phrases: Readonly<Record<string, string>>,
): readonly StoredAgent[] {
  return agents.map((agent) => {
    const doing = agent.status === "running" ? phrases[agent.id] : undefined;
    return doing === undefined ? agent : { ...agent, doing };
  });
}

function findAgent(agents: readonly StoredAgent[], named: string | undefined): StoredAgent {
  if (named === undefined) throw new UsageError("The agent's ID is missing. To list the agents: palimpsest agents.");
  const exact = agents.findLast(({ id, name }) => id === named || name === named);
  const found = exact === undefined ? agents.filter(({ id }) => id.startsWith(named)) : [exact];
  if (found.length === 1) return found[0]!;
  const there = agents.map(labelOf).join(", ") || "none";
  throw new UsageError(
    `${found.length === 0 ? "There is no agent" : `There are ${found.length} agents whose id starts with`} ${JSON.stringify(named)}. Agents of this session: ${there}.`,
  );
}

function treeText(
  { id, title }: StoredSession,
  agents: readonly StoredAgent[],
  { nowMs, columns }: { readonly nowMs: number; readonly columns: number },
): string {
  if (agents.length === 0) return `${id.slice(0, 8)} ${title}\nThis session has started no agents.`;
  const rows = agents.map((agent, at) => [
    `${at === agents.length - 1 ? "└─" : "├─"} ${labelOf(agent)}`,
    [agent.definition, agent.way].filter((part) => part !== undefined).join(", "),
    ...[
      agent.plan === "asked" ? `${agent.status}, plan waits` : agent.status,
      `${agent.responses} responses`,
      `${agent.tokens.toLocaleString("en-US")} tokens`,
      usd(agent.priceUsd),
    ],
    elapsed((agent.status === "running" ? nowMs : agent.activeAtMs) - agent.startedAtMs),
  ]);
  const lines = table(rows).split("\n");
  const widest = Math.max(...lines.map((line) => line.length));
  // An agent's task is on the line of its figures if there is room, otherwise on the next line.
  const isBeside = columns - widest >= LEAST_TASK_COLUMNS;
  const tree = agents.flatMap((agent, at) => {
    const task = ((agent.status === "running" ? agent.doing : undefined) ?? agent.goal).replace(/\s+/g, " ");
    if (isBeside) return [`${lines[at]!.padEnd(widest)}  ${oneLine(task, columns - widest - 2)}`];
    const below = at === agents.length - 1 ? "     " : "│    ";
    return [lines[at]!, below + oneLine(task, Math.max(LEAST_TASK_COLUMNS, columns - below.length))];
  });
  return [`${id.slice(0, 8)} ${title}`, ...tree].join("\n");
}

function sessionsText(mates: readonly Address[]): string {
  if (mates.length === 0) return "";
  const rows = mates.map(({ name, state, session }) => [name, state, session.slice(0, 8)]);
  return `\n\nOther sessions of this project\n${table(rows)}`;
}

function outcomeText(outcome: SentToSocket): string {
  return outcome.kind === "taken" ? "Sent." : `Not sent: ${outcome.why}`;
}

function labelOf({ id, name }: Pick<StoredAgent, "id" | "name">): string {
  return name ?? id.slice(0, 8);
}

function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

async function show(agent: StoredAgent, asJson: boolean, { print }: Terminal, { store }: Project): Promise<number> {
  const text = (await lastWords(store, agent.session)) ?? "";
  const head = `${labelOf(agent)} (${agent.status}): ${agent.goal}\nsession ${agent.session}`;
  await print(asJson ? JSON.stringify({ ...agent, text }) : `${head}\n\n${text || "The agent has not answered yet."}`);
  return EXIT.done;
}

async function lastWords(store: Store, session: string): Promise<string | undefined> {
  const reader = await store.openReader(session);
  const newest = await reader?.newest("message");
  await reader?.close();
  return newest && entryText(newest);
}

interface FollowLogOptions {
  readonly store: Store;
  readonly session: string;
  readonly format: "text" | "json";
  /** Resolves to false when no more entries will come. */
  readonly continues: () => Promise<boolean>;
  readonly terminal: Terminal;
}

const SHOWN_LINES = 12;
/** Another process writes the log, so new entries are found by polling. */
const LOOK_EVERY_MS = 300;

/** Prints the entries of a log, and waits for more until no more will come. */
async function followLog({ store, session, format, continues, terminal }: FollowLogOptions): Promise<number> {
  const signal = terminal.interruption();
  let printed = 0;
  for (;;) {
    // Asked before the read, so that entries written in between are still printed.
    const more = await continues();
    const reader = await store.openReader(session);
    const { sequence } = (await reader?.head()) ?? { sequence: 0 };
    for (const entry of (await reader?.read(printed + 1, sequence)) ?? []) {
      const shown = format === "json" ? JSON.stringify(entry) : entryLines(entry, SHOWN_LINES);
      if (shown !== undefined) await terminal.print(shown);
    }
    printed = Math.max(printed, sequence);
    await reader?.close();
    if (signal.aborted) return typeof signal.reason === "number" ? signal.reason : EXIT.interrupted;
    if (!more) return EXIT.done;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

interface WakeOptions {
  readonly agent: StoredAgent;
  readonly text: string;
  readonly values: WantedProvider & { readonly json?: boolean | undefined };
  readonly stored: StoredSession;
  readonly project: Project;
  readonly terminal: Terminal;
}

/** Resumes an agent from its log with a message, in this process. The session's log stores its report. */
async function wakeAgent({ agent, text, values, stored, project, terminal }: WakeOptions): Promise<number> {
  const signal = terminal.interruption();
  const opened = await openStoredAgent({ values, stored, project, terminal });
  if (opened === undefined) return EXIT.failed;
  try {
    const { agents, session, permission } = opened;
    const sent = await agents.send(agent.id, text);
    if (sent.kind === "refused") {
      terminal.say(sent.why, "warning");
      return EXIT.failed;
    }
    signal.addEventListener("abort", () => void agents.stop(agent.id));
    while ((await agents.idle()) === "waiting") await agents.inbox.deliver(session);
    const report = session.view.attached("agent-result").at(-1) ?? "";
    const { status } = session.background.agents().find(({ id }) => id === agent.id) ?? agent;
    await terminal.print(values.json ? JSON.stringify({ id: agent.id, outcome: status, report }) : report);
    for (const { tool, reason } of permission.takeDenied()) terminal.say(`Denied: ${tool} (${reason})`, "warning");
    return status === "done" || status === "idle" ? EXIT.done : EXIT.failed;
  } finally {
    await opened.close();
  }
}

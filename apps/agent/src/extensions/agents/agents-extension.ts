import { type Agents, readAgents } from "@palimpsest/agents";
import type { Store } from "palimpsest";
import type { ExtensionContext } from "../../extension/context.ts";
import type { BackgroundTask, Extension, OpenedSession } from "../../extension/extension.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/visible-text.ts";
import type { SessionMail } from "../mail/mail-extension.ts";
import { type AgentNotes, createAgentNotes } from "./agent-notes.ts";
import { controlPath, createPhrases, takeOrders } from "./control-socket.ts";
import { definitionProblems, loadDefinitions } from "./load-definitions.ts";
import { openAgents } from "./open-agents.ts";

interface AgentsExtension extends Extension {
  readonly agents: Agents;
}

/** Adds agents to the session: subagents, forks and teammates. They have the session's tools and permissions. */
export async function agentsExtension(
  context: ExtensionContext,
  opened: OpenedSession,
  mail: SessionMail,
): Promise<AgentsExtension> {
  const { places, folder, store, provider, guard, settings } = context;
  const { session } = opened;
  const kinds = await loadDefinitions({ guard, agentHome: places.agentHome });
  const notes: AgentNotes | undefined =
    settings.memory === "off" ? undefined : createAgentNotes({ places, folder, store, session });
  const closing: (() => Promise<void>)[] = notes === undefined ? [] : [notes.close];
  const agents = openAgents({
    opened,
    store,
    provider,
    model: context.model(),
    effort: context.effort,
    folder,
    definitions: kinds.definitions,
    mailbox: mail.mailbox,
    notes,
    async onFirst(own) {
      const phrases = createPhrases({ agents: own, folder: context.sessionFolder });
      closing.push(phrases.close);
      const orders = await takeOrders(controlPath(places, session.id), own, phrases);
      closing.push(orders.close);
    },
  });
  closing.push(agents.close);
  await mail.listen(agents);
  return {
    name: "agents",
    agents,
    commands: [agentsCommand(store)],
    status: () => backgroundAgents(agents),
    problems: definitionProblems(kinds),
    async close() {
      for (const close of closing.toReversed()) await close();
    },
  };
}

/**
 * Lists running and idle agents except subagents. The model waits for subagents, so their tool call is shown instead.
 */
export function backgroundAgents(agents: Pick<Agents, "list" | "stop">): readonly BackgroundTask[] {
  const there = agents.list().filter(({ status, way }) => isThere(status) && way !== "subagent");
  return there.map(({ id, name, goal, status, plan, live, used = live }) => {
    const state = status === "idle" ? "idle" : "runs";
    const asks = plan === "asked" ? ["its plan waits for the leader"] : [];
    const phrases = state === "idle" ? ["idle", ...asks] : live?.phrase === undefined ? [] : [live.phrase];
    const spent = used === undefined ? [] : [`${used.rounds} rounds, ${used.tokens.toLocaleString("en-US")} tokens`];
    return {
      id: name ?? id.slice(0, 8),
      kind: "agent",
      what: `${name ?? id.slice(0, 8)}: ${goal}`,
      state,
      priceUsd: used?.priceUsd,
      ...(phrases.length + spent.length === 0 ? {} : { progress: [...phrases, ...spent].join(", ") }),
      shownBy: "/agents",
      stop: async () => void (await agents.stop(id)),
    };
  });
}

function isThere(status: ReturnType<Agents["list"]>[number]["status"]): boolean {
  return status === "running" || status === "idle";
}

const WAYS = [
  {
    value: "show",
    label: "Show its messages and tool calls",
    when: ["running", "idle", "done", "failed", "stopped"],
  },
  { value: "follow", label: "Follow it live (esc to stop following)", when: ["running"] },
  { value: "stop", label: "Stop the agent", when: ["running", "idle"] },
];

/** `/agents` lists the session's agents, and lets the user read, follow, stop and message them. */
function agentsCommand(store: Store): SlashCommand {
  return {
    name: "agents",
    takes: "[show ID | follow ID | stop ID | send ID TEXT]",
    about: "list agents and their cost; follow, stop or message one",
    when: "always",
    async open({ session, words, runCommand, ask }) {
      const act = (...args: readonly string[]): Promise<void> =>
        runCommand("Listing the agents", "agents", [...args, "--session", session.id]);
      if (words !== "") return act(...words.split(/\s+/));
      await act();
      const all = await readAgents(store, session.id);
      if (all.length === 0) return;
      const which = await ask({
        title: "Choose an agent (esc to close)",
        body: [],
        options: all.map(({ id, name, status, goal }) => ({
          value: id,
          label: cleanText(name ?? id),
          about: `${status}: ${cleanText(goal).replaceAll("\n", " ")}`,
        })),
      });
      const id = which.kind === "chosen" ? which.values[0] : undefined;
      const chosen = all.find((one) => one.id === id);
      if (chosen === undefined) return;
      const options = WAYS.filter(({ when }) => when.includes(chosen.status));
      const way = await ask({ title: cleanText(chosen.name ?? chosen.id), body: [], options });
      if (way.kind === "chosen" && way.values[0] !== undefined) await act(way.values[0], chosen.id);
    },
  };
}

import type { Agents } from "@palimpsest/agents";
import type { ExtensionContext } from "../../extension/context.ts";
import type { BackgroundTask, Extension } from "../../extension/extension.ts";
import type { OpenedSession } from "../../extension/opened-session.ts";
import type { SessionMail } from "../mail/open-mail.ts";
import { type AgentNotes, createAgentNotes } from "./agent-notes.ts";
import { agentsCommand } from "./agents-command.ts";
import { controlPath, takeOrders } from "./control-socket.ts";
import { definitionProblems, loadDefinitions } from "./load-definitions.ts";
import { openAgents } from "./open-agents.ts";
import { createPhrases } from "./phrases.ts";

export interface AgentsExtension extends Extension {
  readonly agents: Agents;
}

/** Agents of the session: subagents, forks and teammates. They have its tools and its permissions. */
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
    ...(notes === undefined ? {} : { notes }),
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

/** Lists the running agents, except subagents: the model waits for them, so their tool call is shown. */
function backgroundAgents(agents: Pick<Agents, "list" | "stop">): readonly BackgroundTask[] {
  const working = agents.list().filter(({ status, way }) => status === "running" && way !== "subagent");
  return working.map(({ id, name, goal, live }) => ({
    id: name ?? id.slice(0, 8),
    kind: "agent",
    what: `${name ?? id.slice(0, 8)}: ${goal}`,
    ...(live === undefined ? {} : { progress: progressText(live), priceUsd: live.priceUsd }),
    shownBy: "/agents",
    stop: async () => void (await agents.stop(id)),
  }));
}

function progressText({ phrase, rounds, tokens }: NonNullable<ReturnType<Agents["list"]>[number]["live"]>): string {
  return `${phrase === undefined ? "" : `${phrase}, `}${rounds} rounds, ${tokens.toLocaleString("en-US")} tokens`;
}

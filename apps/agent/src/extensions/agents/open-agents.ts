import {
  type AgentDefinition,
  type Agents,
  type AgentsOptions,
  createAgents,
  type WantedChild,
} from "@palimpsest/agents";
import {
  type Inbox,
  type Provider,
  recallTool,
  type Session,
  type Store,
  type Tool,
  type ToolDefinition,
} from "palimpsest";
import type { ToolSession } from "../../extension/extension.ts";
import { type AgentSession, openAgentSession } from "../../extension/open-agent-session.ts";
import type { OpenedSession } from "../../extension/opened-session.ts";
import { toTool } from "../../extension/to-tool.ts";
import type { PermittedTool } from "../../permissions/permission-call.ts";
import type { AgentMemory } from "../memory/agent-memory.ts";
import type { AgentNotes } from "./agent-notes.ts";

export interface OpenAgentsOptions {
  readonly opened: OpenedSession;
  readonly store: Store;
  readonly provider: Provider;
  readonly model: string;
  readonly folder: string;
  /** What kinds of agents remember. @default nothing */
  readonly notes?: AgentNotes;
  readonly definitions: readonly AgentDefinition[];
  /** When the model uses the tool for the first time. */
  readonly onFirst: (agents: Agents) => Promise<void>;
  readonly mailbox: NonNullable<AgentsOptions["mailbox"]>;
}

/** The tools of agents, as permissions see them. */
export const AGENT_TOOLS: readonly PermittedTool[] = [
  { name: "Agent", effect: "talk" },
  { name: "SendMessage", effect: "talk" },
];

/** The user is asked by the session itself, and his plans are made with it. */
const MAIN_ONLY = ["AskUser", "EnterPlan", "ExitPlan"];
/** It talks and changes nothing: what it brings back was read before. */
const ALSO_READ_ONLY = recallTool.name;

/** The agents of a session, with its tools, its permissions and its store. */
export function openAgents(options: OpenAgentsOptions): Agents {
  const { onFirst } = options;
  const agents = createOwn(options);
  let first: Promise<unknown> | undefined;
  // Only a session that starts agents can be asked about them.
  const begun = (tool: Tool): Tool => ({
    ...tool,
    async run(input, context) {
      first ??= onFirst(agents).catch(() => undefined);
      await first;
      return tool.run(input, context);
    },
  });
  return { ...agents, tools: agents.tools.map((tool) => (tool.name === "Agent" ? begun(tool) : tool)) };
}

function createOwn(options: OpenAgentsOptions): Agents {
  const { store, provider, model, folder, definitions, opened } = options;
  const { session, tools, runnable } = opened;
  // What the session may do its agents may do, and no more.
  const { permission, askHost } = opened.permission;

  /** Those of agents that were opened, by the name of their kind. */
  const memories = new Map<string, AgentMemory>();

  async function openChild({ id, system, model: own = model, definition }: WantedChild): Promise<AgentSession> {
    const words = system === undefined ? {} : { system: `${system}\n\nThe project's folder is ${folder}.` };
    const common = opened.childOptions(id);
    const memory = await options.notes?.open(definition);
    if (memory !== undefined) memories.set(definition!.name, memory);
    const head = memory === undefined ? {} : { head: opened.headWith(memory.section).text };
    const surroundings = { ...common.surroundings, ...head };
    return openAgentSession({ ...common, ...words, surroundings, store, provider, model: own, id });
  }

  return createAgents({
    session,
    store,
    definitions,
    tools: runnable,
    permission,
    askHost,
    openChild,
    readOnlyTools: tools
      .filter(({ name, effect }) => effect === "read" || name === ALSO_READ_ONLY)
      .map(({ name }) => name),
    mainOnlyTools: MAIN_ONLY,
    toolsFor(child: Session, { way, definition }) {
      const other: ToolSession = { session: child, kind: way === "fork" ? "fork" : "agent", main: session };
      const memory = way === "fork" ? undefined : memories.get(definition.name);
      const own = memory?.toolFor(session.id, () => options.notes!.saidTo(child.id, memory));
      return opened.toolsFor(other).map((tool) => toTool(tool.name === own?.name ? own : tool, child, folder));
    },
    mailbox: options.mailbox,
  });
}

/** As it stands in the prompt. */
export function toDefinition({ name, description, input }: Tool): ToolDefinition {
  return { name, description, inputSchema: input as ToolDefinition["inputSchema"] };
}

export interface WaitingInboxOptions {
  readonly agents: Pick<Agents, "inbox" | "idle" | "list">;
  readonly waitMs: () => number;
  /** Is told how many are waited for. */
  readonly onWait: (running: number) => void;
}

/** The inbox of a turn that nobody watches: it ends when its agents have, or have taken too long. */
export function waitingInbox({ agents, waitMs, onWait }: WaitingInboxOptions): Inbox {
  return {
    deliver: (session) => agents.inbox.deliver(session),
    async settle(signal) {
      const running = agents.list().filter(({ live }) => live !== undefined).length;
      if (running === 0) return;
      onWait(running);
      const over = AbortSignal.any([signal, AbortSignal.timeout(waitMs())]);
      const ended = new Promise<void>((resolve) => over.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([agents.idle(), ended]);
    },
  };
}

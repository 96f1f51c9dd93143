import {
  type AgentDefinition,
  type Agents,
  type AgentsOptions,
  createAgents,
  type WantedChild,
} from "@palimpsest/agents";
import { type Provider, recallTool, type Session, type Store, type Tool } from "palimpsest";
import { type Effort, effortParameters } from "palimpsest/provider-parts";
import type { OpenedSession, ToolSession } from "../../extension/extension.ts";
import { withContext } from "../../extension/make-tool.ts";
import { type AgentSession, openAgentSession } from "../../extension/open-agent-session.ts";
import type { ToolAccess } from "../../permissions/agent-tool.ts";
import type { AgentMemory } from "../memory/agent-memory.ts";
import type { AgentNotes } from "./agent-notes.ts";

interface OpenAgentsOptions {
  readonly opened: OpenedSession;
  readonly store: Store;
  readonly provider: Provider;
  readonly model: string;
  /** The session's effort, which new agents use too. */
  readonly effort: () => Effort | undefined;
  readonly folder: string;
  /** The memories of kinds of agents. @default none */
  readonly notes?: AgentNotes;
  readonly definitions: readonly AgentDefinition[];
  /** Called when the model first uses an agent tool. */
  readonly onFirst: (agents: Agents) => Promise<void>;
  readonly mailbox: NonNullable<AgentsOptions["mailbox"]>;
}

/** The agent tools, as the permission check sees them. */
export const AGENT_TOOLS: readonly ToolAccess[] = [
  { name: "Agent", effect: "talk" },
  { name: "SendMessage", effect: "talk" },
];

/** Tools of the main session only. Agents do not ask the user, and do not plan for the user. */
const MAIN_ONLY = ["AskUser", "EnterPlan", "ExitPlan"];
/** Read-only agents may use `recall`, because it reads only content that the session has read before. */
const ALSO_READ_ONLY = recallTool.name;

/** Opens the agents of a session, with its tools, permissions and store. */
export function openAgents(options: OpenAgentsOptions): Agents {
  const { onFirst } = options;
  const agents = createOwn(options);
  let first: Promise<unknown> | undefined;
  // The socket opens with the first agent, because there is nothing to control before.
  const begun = (tool: Tool): Tool => ({
    ...tool,
    async execute(input, context) {
      first ??= onFirst(agents).catch(() => undefined);
      await first;
      return tool.execute(input, context);
    },
  });
  return { ...agents, tools: agents.tools.map((tool) => (tool.name === "Agent" ? begun(tool) : tool)) };
}

function createOwn(options: OpenAgentsOptions): Agents {
  const { store, provider, model, folder, definitions, opened } = options;
  const { session, tools, runnable } = opened;
  // Agents have exactly the session's permissions.
  const { permission, askHost } = opened.permission;

  /** The open memories, by the name of the agent's kind. */
  const memories = new Map<string, AgentMemory>();

  async function openChild({ id, begins, system, model: own = model, definition }: WantedChild): Promise<AgentSession> {
    const words = system === undefined ? {} : { system: `${system}\n\nThe project's folder is ${folder}.` };
    const common = opened.childOptions(id);
    const memory = await options.notes?.open(definition);
    if (memory !== undefined) memories.set(definition!.name, memory);
    const head = memory === undefined ? {} : { head: opened.headWith(memory.section).text };
    const surroundings = { ...common.surroundings, ...head };
    // A continued agent keeps its effort, because another effort would invalidate its prompt cache.
    const effort = begins === "new" ? options.effort() : undefined;
    const parameters = effort && effortParameters(provider.name, provider.factsOf(own), effort);
    const asked = parameters === undefined ? {} : { parameters };
    return openAgentSession({ ...common, ...words, ...asked, surroundings, store, provider, model: own, id });
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
      const tools = opened.toolsFor(other).map((tool) => (tool.name === own?.name ? own : tool));
      return tools.map((tool) => withContext(tool, { session: child, folder }));
    },
    mailbox: options.mailbox,
  });
}

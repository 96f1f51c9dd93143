import { join } from "node:path";
import type { AgentDefinition } from "@palimpsest/agents";
import type { Statement } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { Places } from "../../workspace/places.ts";
import { type AgentMemory, openAgentMemory } from "../memory/agent-memory.ts";

interface AgentNotesOptions {
  readonly places: Pick<Places, "agentHome" | "project">;
  /** The project folder. */
  readonly folder: string;
  readonly store: Store;
  /** The session that started the agents. Its log contains the user's messages. */
  readonly session: AgentSession;
}

/** The memories of kinds of agents. Each kind has its own folder. */
export interface AgentNotes {
  /** Opens the memory of a kind of agent. Undefined for a kind without a memory. */
  open(definition: AgentDefinition | undefined): Promise<AgentMemory | undefined>;
  /** The messages to an agent, and the user's messages to the session that started it. */
  saidTo(child: string, memory: Pick<AgentMemory, "saidIn">): Promise<readonly Statement[]>;
  close(): Promise<void>;
}

const FOLDER = "agent-memory";

/** The memory folder of a kind of agent. Undefined for a kind without a memory. */
export function notesFolder(
  { name, memory }: Pick<AgentDefinition, "name" | "memory">,
  { places, folder }: Pick<AgentNotesOptions, "places" | "folder">,
): string | undefined {
  if (memory === undefined) return undefined;
  const roots = { user: places.agentHome, project: join(folder, ".palimpsest"), local: places.project };
  return join(roots[memory], FOLDER, name);
}

export function createAgentNotes(options: AgentNotesOptions): AgentNotes {
  const { store, session } = options;
  const opened = new Map<string, Promise<AgentMemory>>();
  return {
    async open(definition) {
      const folder = definition && notesFolder(definition, options);
      if (folder === undefined) return undefined;
      const memory = opened.get(folder) ?? openAgentMemory({ folder, store });
      opened.set(folder, memory);
      return memory;
    },
    async saidTo(child, { saidIn }) {
      const [users, own] = [await saidIn(session.id), await saidIn(child)];
      // The session's log contains an agent's task at the entry that started the agent.
      const entry = session.background.agents().find((agent) => agent.session === child)?.entry ?? 0;
      return [...users, ...own.map((one) => ({ ...one, entry }))];
    },
    async close() {
      for (const memory of opened.values()) await (await memory).close();
    },
  };
}

import { join } from "node:path";
import type { AgentDefinition } from "@palimpsest/agents";
import type { Statement } from "@palimpsest/memory";
import type { Store } from "palimpsest";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import type { Places } from "../../workspace/places.ts";
import { type AgentMemory, openAgentMemory } from "../memory/agent-memory.ts";

export interface AgentNotesOptions {
  readonly places: Pick<Places, "agentHome" | "project">;
  /** The project's. */
  readonly folder: string;
  readonly store: Store;
  /** Whose agents they are: what the user says, he says there. */
  readonly session: AgentSession;
}

/** What kinds of agents remember, each in a folder of its own. */
export interface AgentNotes {
  /** Undefined for a kind that keeps none. */
  open(definition: AgentDefinition | undefined): Promise<AgentMemory | undefined>;
  /** What was said to an agent and by it, and what the user has said to the session that it works for. */
  saidTo(child: string, memory: Pick<AgentMemory, "saidIn">): Promise<readonly Statement[]>;
  close(): Promise<void>;
}

const FOLDER = "agent-memory";

/** Where a kind of agent keeps what it remembers; undefined if it remembers nothing. */
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
      // In the session's log an agent's words stand where it was started.
      const entry = session.background.agents().find((agent) => agent.session === child)?.entry ?? 0;
      return [...users, ...own.map((one) => ({ ...one, entry }))];
    },
    async close() {
      for (const memory of opened.values()) await (await memory).close();
    },
  };
}

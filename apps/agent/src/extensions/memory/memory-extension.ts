import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import { type AgentMemory, openAgentMemory } from "./agent-memory.ts";
import { memoryCommand } from "./memory-command.ts";

export interface MemoryExtension extends Extension {
  /** Absent if the settings turn the memory off. */
  readonly remembered?: AgentMemory;
  /** Emits one event if memories wait for the user's approval. */
  readonly emitWaiting: () => Promise<void>;
}

/** The memory that the sessions of a project share. */
export async function memoryExtension({
  settings,
  places,
  store,
  emit,
}: Pick<ExtensionContext, "settings" | "places" | "store" | "emit">): Promise<MemoryExtension> {
  if (settings.memory === "off")
    return { name: "memory", commands: [memoryCommand(undefined)], emitWaiting: async () => {} };
  const remembered = await openAgentMemory({ folder: places.memory, store, emit });
  const { memory } = remembered;
  let session: AgentSession | undefined;
  let waiting: Promise<void> | undefined;
  const emitWaiting = async (): Promise<void> => {
    if (session === undefined) return;
    const memories = await import("@palimpsest/memory");
    waiting ??= memories.emitWaiting(session, memory);
    await waiting;
  };
  return {
    name: "memory",
    remembered,
    emitWaiting,
    head: remembered.section,
    tools: (tools) => [remembered.toolFor(tools.session.id)],
    commands: [memoryCommand(memory)],
    async begin(opened) {
      session = opened;
    },
    async beforeTurn(turn) {
      await emitWaiting();
      const recalled = turn.words === "" ? [] : await remembered.recall(turn.session, turn.words);
      if (recalled.length > 0) await turn.session.append(recalled);
    },
    close: remembered.close,
  };
}

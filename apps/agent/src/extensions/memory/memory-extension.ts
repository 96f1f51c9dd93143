import type { Topic } from "@palimpsest/memory";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { AgentSession } from "../../extension/open-agent-session.ts";
import { type AgentMemory, openAgentMemory } from "./agent-memory.ts";
import { memoryCommand } from "./memory-command.ts";

interface MemoryExtension extends Extension {
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
  person,
}: Pick<ExtensionContext, "settings" | "places" | "store" | "emit" | "person">): Promise<MemoryExtension> {
  if (settings.memory === "off")
    return { name: "memory", commands: [memoryCommand(undefined)], emitWaiting: async () => {} };
  const remembered = await openAgentMemory({ folder: places.memory, store, emit });
  const { memory } = remembered;
  let session: AgentSession | undefined;
  let waiting = 0;
  let emitted: Promise<void> | undefined;
  const emitWaiting = async (): Promise<void> => {
    if (session === undefined) return;
    const memories = await import("@palimpsest/memory");
    emitted ??= memories.emitWaiting(session, memory);
    await emitted;
  };
  /** Decisions and the model's own proposals change the number in the footer. */
  const countWaiting = async (): Promise<void> => {
    waiting = (await memory.inbox()).length;
    await person?.onBackground();
  };
  return {
    name: "memory",
    remembered,
    emitWaiting,
    head: remembered.section,
    tools: (tools) => [remembered.toolFor(tools.session.id)],
    commands: [memoryCommand({ memory, store })],
    status: () =>
      waiting === 0
        ? []
        : [{ id: "memories", kind: "decision", what: waitingText(waiting), state: "waits", shownBy: "/memory" }],
    async begin(opened) {
      session = opened;
      opened.events.listen((event) => {
        if (event.kind === "memories-waiting" || event.kind === "memory-judged")
          void countWaiting().catch(() => undefined);
      });
    },
    async beforeTurn(turn) {
      await emitWaiting();
      const recalled = turn.words === "" ? undefined : await remembered.recall(turn.session, turn.words);
      if (recalled === undefined) return;
      await turn.session.append([recalled.attached]);
      await person?.onNotice(recalledText(recalled.topics));
    },
    afterTurn: countWaiting,
    close: remembered.close,
  };
}

function waitingText(count: number): string {
  return count === 1 ? "1 memory waits for your yes" : `${count} memories wait for your yes`;
}

/** Names the topics that were attached to the message above. */
function recalledText(topics: readonly Pick<Topic, "slug">[]): string {
  const slugs = topics.map(({ slug }) => slug);
  return `Attached from memory: ${slugs.join(", ")}. If one does not help: /memory dismiss ${slugs[0]}`;
}

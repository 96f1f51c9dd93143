import { join } from "node:path";
import { createExtractions, memoryTool, openMemory, readStatements } from "@palimpsest/memory";
import type { Script } from "@palimpsest/provider-simulator";
import { query, type Tool, user } from "palimpsest";
import { type LibraryWorld, openWorld } from "./library-world.ts";

export interface MemoryWorld extends Pick<LibraryWorld, "emitted">, AsyncDisposable {
  readonly memory: Awaited<ReturnType<typeof openMemory>>;
  /** How often a model was asked to look for memories. */
  calls(): number;
  say(words: string): Promise<void>;
}

/** A session that is looked through for memories after each turn. */
export async function openMemoryWorld(
  folder: string,
  script: Script,
  environment: Readonly<Record<string, string>> = {},
): Promise<MemoryWorld> {
  const world = await openWorld(folder, script);
  // These sessions are short: looking through them is a large part of what they cost.
  const session = await world.open({
    settingsFrom: { environment: { PALIMPSEST_MEMORY_EXTRACTION_PERCENT: "100", ...environment } },
  });
  const memory = await openMemory({ folder: join(folder, "memory"), emit: (event) => session.events.emit(event) });
  const { store, emitted, exchanges } = world;
  const said = async () => {
    const reader = (await store.openReader(session.id))!;
    try {
      return (await readStatements(reader, 1, session.history.newestEntry)).said;
    } finally {
      await reader.close();
    }
  };
  const tools: readonly Tool[] = [memoryTool({ memory, session: session.id, said })];
  const { afterTurn, drain } = createExtractions({ memory, store, tools, readOnlyTools: [] });
  return {
    memory,
    emitted,
    calls: () => exchanges().filter(({ body }) => body.includes("a task beside the conversation")).length,
    async say(words) {
      for await (const _ of query(session, { tools, prompt: user(words), afterTurn }));
      await drain(20_000);
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await memory.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

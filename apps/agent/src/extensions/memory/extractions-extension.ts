import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension, OpenedSession } from "../../extension/extension.ts";
import type { AgentMemory } from "./agent-memory.ts";

/** Saves memories from each turn, if the settings turn it on (`memory: on`). */
export async function extractionsExtension(
  { settings, store, places, clock, person }: ExtensionContext,
  { tools, runnable, permission }: OpenedSession,
  remembered: AgentMemory | undefined,
): Promise<Extension> {
  if (remembered === undefined || settings.memory !== "on") return { name: "extractions" };
  const { openExtractions } = await import("./open-extractions.ts");
  const extractions = await openExtractions({
    memory: remembered.memory,
    store,
    tools: runnable,
    readOnlyTools: tools.filter(({ effect }) => effect === "read").map(({ name }) => name),
    permission: permission.permission,
    coordinationFile: places.coordinationFile,
    clock,
  });
  return {
    name: "extractions",
    status() {
      const running = extractions.running();
      if (running === undefined) return [];
      const { priceUsd, stop } = running;
      const task = { id: "extraction", kind: "extraction", what: "looking for memories", shownBy: "/tasks" } as const;
      return [{ ...task, priceUsd: priceUsd(), stop: async () => stop() }];
    },
    async afterTurn(own) {
      await extractions.afterTurn(own);
      await person?.onBackground();
    },
    close: extractions.close,
  };
}

import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { OpenedSession } from "../../extension/opened-session.ts";
import type { AgentMemory } from "./agent-memory.ts";

/** Saves memories from each turn, if the settings turn it on (`memory: on`). */
export async function extractionsExtension(
  { settings, store, places, clock }: ExtensionContext,
  { session, tools, runnable, permission }: OpenedSession,
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
    dailyTokens: session.settings().settings["memory.dailyTokens"],
    clock,
  });
  return { name: "extractions", afterTurn: extractions.afterTurn, close: extractions.close };
}

import type { Memory } from "@palimpsest/memory";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { createBackgroundDream } from "./background-dream.ts";
import { dreamCommand } from "./dream-command.ts";

/**
 * Dreams tidy up the memory: when the user asks for it, and between turns if the settings turn automatic memory on
 * (`memory: on`) and a person is at the screen.
 */
export function dreamsExtension(context: ExtensionContext, memory: Memory | undefined): Extension {
  const { person, settings } = context;
  const commands = [dreamCommand];
  if (memory === undefined || person === undefined || settings.memory !== "on") return { name: "dreams", commands };
  const dream = createBackgroundDream({ context, memory, person });
  return {
    name: "dreams",
    commands,
    status: () => (dream.state() === "runs" ? [{ what: "tidying up the memory", shownBy: "/memory log" }] : []),
    afterTurn: dream.afterTurn,
    close: dream.close,
  };
}

import type { Memory } from "@palimpsest/memory";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { createBackgroundDream } from "./background-dream.ts";
import { dreamCommand } from "./dream-command.ts";

/**
 * Dreams: the memory is gone over as a whole, when the user asks for it, and between turns where the settings say that things
 * are remembered without being asked to (`memory: on`) and somebody is there to see it.
 */
export function dreamsExtension(context: ExtensionContext, memory: Memory | undefined): Extension {
  const { person, settings } = context;
  const commands = [dreamCommand];
  if (memory === undefined || person === undefined || settings.memory !== "on") return { name: "dreams", commands };
  const dream = createBackgroundDream({ context, memory, person });
  return {
    name: "dreams",
    commands,
    status: () => (dream.state() === "runs" ? [{ what: "going over what is remembered", shownBy: "/memory log" }] : []),
    afterTurn: dream.afterTurn,
    close: dream.close,
  };
}

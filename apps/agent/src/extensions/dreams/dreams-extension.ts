import type { Memory } from "@palimpsest/memory";
import type { ExtensionContext } from "../../extension/context.ts";
import type { BackgroundTask, Extension } from "../../extension/extension.ts";
import { createBackgroundDream } from "./background-dream.ts";
import { dreamCommand } from "./dream-command.ts";
import { readHeld } from "./held-dream.ts";

const HELD: BackgroundTask = {
  id: "held-dream",
  kind: "decision",
  what: "a change of the memory waits for your yes",
  state: "waits",
  shownBy: "/dream",
};

/**
 * Dreams tidy up the memory: when the user asks for it, and between turns if the settings turn automatic memory on
 * (`memory: on`) and a person is at the screen.
 */
export function dreamsExtension(context: ExtensionContext, memory: Memory | undefined): Extension {
  const { person, settings, places } = context;
  let waiting: readonly BackgroundTask[] = [];
  const lookForHeld = async (): Promise<void> => {
    const held = await readHeld(places);
    waiting = held === undefined ? [] : [HELD];
  };
  const onDecision = async (): Promise<void> => {
    await lookForHeld();
    await person?.onBackground();
  };
  const commands = [dreamCommand({ places, onDecision })];
  if (memory === undefined || person === undefined) return { name: "dreams", commands };
  const shared = { name: "dreams", commands, begin: lookForHeld };
  if (settings.memory !== "on") return { ...shared, status: () => waiting };
  const dream = createBackgroundDream({ context, memory, person: { ...person, onBackground: onDecision } });
  return {
    ...shared,
    status: () => [...dream.status(), ...waiting],
    afterTurn: dream.afterTurn,
    close: dream.close,
  };
}

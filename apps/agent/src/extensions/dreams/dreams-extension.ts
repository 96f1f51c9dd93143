import type { Memory } from "@palimpsest/memory";
import type { ExtensionContext } from "../../extension/context.ts";
import type { BackgroundTask, Extension } from "../../extension/extension.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { plainLines } from "../../text/line.ts";
import { cleanText } from "../../text/visible-text.ts";
import type { Places } from "../../workspace/places.ts";
import { createBackgroundDream } from "./background-dream.ts";
import { readHeld, stepText } from "./held-dream.ts";

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

interface DreamCommandOptions {
  readonly places: Pick<Places, "heldDream">;
  /** Called after the user has decided about changes that waited. */
  readonly onDecision: () => Promise<void>;
}

const CHOICES = [
  { value: "--yes", label: "Apply them, as one change that can be undone" },
  { value: "--no", label: "Refuse them" },
  { value: "later", label: "Decide later" },
];

/** `/dream` tidies up the memory. If changes of an earlier run wait, it shows them first. */
export function dreamCommand({ places, onDecision }: DreamCommandOptions): SlashCommand {
  return {
    name: "dream",
    takes: "[--dry-run | --yes | --no]",
    about: "tidy up the memory; decide about changes that wait",
    async open({ words, runCommand, ask }) {
      const given = words.split(/\s+/).filter(Boolean);
      const run = (args: readonly string[]): Promise<void> =>
        runCommand("Tidying up the memory", "memory", ["dream", ...args]);
      if (given.length > 0 || (await readHeld(places)) === undefined) await run(given);
      const held = given.length > 0 ? undefined : await readHeld(places);
      if (held !== undefined) {
        const body = held.flatMap((step) => plainLines(cleanText(stepText(step).replaceAll("\n", " "))));
        const answer = await ask({
          title: `Apply the changes of the memory (${held.length})?`,
          body,
          options: CHOICES,
        });
        const choice = answer.kind === "chosen" ? answer.values[0] : undefined;
        if (choice === "--yes" || choice === "--no") await run([choice]);
      }
      await onDecision();
    },
  };
}

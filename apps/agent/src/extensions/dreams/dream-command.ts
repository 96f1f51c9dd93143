import type { SlashCommand } from "../../extension/slash-command.ts";
import { cleanText } from "../../text/clean-text.ts";
import { plainLines } from "../../text/line.ts";
import type { Places } from "../../workspace/places.ts";
import { readHeld, stepText } from "./held-dream.ts";

export interface DreamCommandOptions {
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
      const run = (args: readonly string[]): Promise<void> => runCommand("Tidying up the memory", "dream", args);
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

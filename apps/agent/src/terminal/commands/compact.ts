import { outcomeText } from "../../commands/compact.ts";
import type { SlashCommand } from "./command.ts";

export const compact: SlashCommand = {
  name: "compact",
  takes: "[TEXT]",
  about: "folds the conversation into a summary that heeds TEXT",
  async open({ agent: { session }, words, during, say }) {
    const outcome = await during("Compacting", (signal) =>
      session.compact({ signal, ...(words === "" ? {} : { instructions: words }) }),
    );
    // What was folded is told with the boundary, whoever asked for it.
    if (outcome.kind !== "compacted") say(outcomeText(outcome), { colour: "warning" });
  },
};

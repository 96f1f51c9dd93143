import { outcomeText } from "../../text/outcome-text.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const compact: ScreenCommand = {
  name: "compact",
  takes: "[TEXT]",
  about: "summarizes the conversation; TEXT says what to keep",
  async open({ agent: { session }, words, during, say }) {
    const outcome = await during("Compacting", (signal) =>
      session.compact({ signal, ...(words === "" ? {} : { instructions: words }) }),
    );
    // What was folded is told with the boundary, whoever asked for it.
    if (outcome.kind !== "compacted") say(outcomeText(outcome), { color: "warning" });
  },
};

import { outcomeText } from "../../text/outcome-text.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const compact: ScreenCommand = {
  name: "compact",
  takes: "[TEXT]",
  about: "summarize to free up context; TEXT says what to keep",
  async open({ agent: { session }, words, during, say }) {
    const outcome = await during("Compacting", (signal) =>
      session.compact({ signal, ...(words === "" ? {} : { instructions: words }) }),
    );
    // A successful compaction has its own line in the scrollback.
    if (outcome.kind !== "compacted") say(outcomeText(outcome), { color: "warning" });
  },
};

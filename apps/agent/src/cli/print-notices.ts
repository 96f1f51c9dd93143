import type { OwnedListener } from "../agent/event-owner.ts";
import type { Terminal } from "../commands/terminal.ts";
import { noticeOf } from "../commands/text/notice-text.ts";

/** Writes the notice of each event to standard error, for commands that run no turn. */
export function printNotices({ say }: Pick<Terminal, "say">): OwnedListener {
  return (event, owner) => {
    // The command itself prints the outcome of its compaction.
    if (event.kind === "compaction-ended" && owner === undefined) return;
    const notice = noticeOf(event, "command-line", owner);
    if (notice !== undefined) say(notice.text, notice.weight === "problem" ? "warning" : "faint");
  };
}

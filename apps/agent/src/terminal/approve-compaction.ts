import type { ApproveCompaction, CompactionForecast } from "palimpsest/core";
import type { Dialog, DialogAnswer } from "../extension/dialog.ts";
import { plain } from "../text/line.ts";
import { usd } from "../text/table.ts";

export interface ApprovalPorts {
  /** Resolves to `left` if the signal is aborted. */
  ask(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer>;
  /** Lets the person choose when conversations are compacted. */
  chooseProfile(signal?: AbortSignal): Promise<void>;
}

/** Asks the person before a compaction, where the settings want that (`compaction.auto`: `ask`). */
export function approveCompaction({ ask, chooseProfile }: ApprovalPorts): ApproveCompaction {
  return async (due, { signal }) => {
    const answer = await ask(compactionDialog(due), signal);
    const chosen = answer.kind === "chosen" ? answer.values[0] : "not-now";
    if (chosen === "profile") await chooseProfile(signal);
    return chosen === "compact" ? "compact" : "not-now";
  };
}

/** What a compaction would save, what it costs, and how to take it back. */
export function compactionDialog({ reason, ...due }: CompactionForecast): Dialog {
  const [now, then, saved] = [due.tokens, due.expectedTokens, due.savesTokensPerRequest].map(count);
  const price = due.savesUsdPerRequest === undefined ? "" : ` (${usd(due.savesUsdPerRequest)} from the cache)`;
  const urgent =
    reason === "window" ? [plain("The window is nearly full: without it there is soon no room for an answer.")] : [];
  return {
    title: "Compact the conversation now?",
    body: [
      plain(`It has ${now} tokens.`),
      ...urgent,
      plain(`Saves: about ${then} tokens remain, so every request reads ${saved} tokens less${price}.`),
      plain("Costs: one call of the model, which writes the summary."),
      plain("Undo: /undo brings everything back, word for word."),
    ],
    options: [
      { value: "compact", label: "Yes, compact it" },
      { value: "not-now", label: "Not now", about: "you are asked again after your next message" },
      { value: "profile", label: "Choose a profile", about: "quality, balanced or economy: when compaction is due" },
    ],
  };
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

import type { ApproveCompaction, CompactionForecast } from "palimpsest";
import type { Dialog, DialogAnswer } from "../extension/dialog.ts";
import { plain } from "../text/line.ts";
import { usd } from "../text/table.ts";

export interface ApprovalPorts {
  /** Resolves to `left` if the signal is aborted. */
  ask(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer>;
  /** Lets the person choose a profile, which decides when conversations are compacted. */
  chooseProfile(signal?: AbortSignal): Promise<void>;
}

/** Asks the person before a compaction, if the settings say so (`compaction.auto`: `ask`). */
export function approveCompaction({ ask, chooseProfile }: ApprovalPorts): ApproveCompaction {
  return async (due, { signal }) => {
    const answer = await ask(compactionDialog(due), signal);
    const chosen = answer.kind === "chosen" ? answer.values[0] : "not-now";
    if (chosen === "profile") await chooseProfile(signal);
    return chosen === "compact" ? "compact" : "not-now";
  };
}

/** The question: what a compaction saves, what it costs, and how to undo it. */
export function compactionDialog({ reason, ...due }: CompactionForecast): Dialog {
  const [now, then, saved] = [due.tokens, due.expectedTokens, due.savesTokensPerRequest].map(count);
  const price = due.savesUsdPerRequest === undefined ? "" : ` (${usd(due.savesUsdPerRequest)} from the cache)`;
  const urgent =
    reason === "window"
      ? [plain("The context window is nearly full. Without a compaction, the model will soon have no room to answer.")]
      : [];
  return {
    title: "Compact the conversation now?",
    body: [
      plain(`The conversation has ${now} tokens.`),
      ...urgent,
      plain(`Saves: about ${then} tokens remain, so every request is ${saved} tokens shorter${price}.`),
      plain("Costs: one model call, which writes the summary."),
      plain("Undo: /undo brings the whole conversation back, word for word."),
    ],
    options: [
      { value: "compact", label: "Yes, compact now" },
      { value: "not-now", label: "Not now", about: "ask again after my next message" },
      { value: "profile", label: "Choose a profile", about: "quality, balanced or economy: decides when to compact" },
    ],
  };
}

function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

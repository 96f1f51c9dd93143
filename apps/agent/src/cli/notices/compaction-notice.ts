import { usd } from "../../text/table.ts";
import { type EventOf, type Notice, news, problem, type Surface } from "./notice.ts";
import { command, count, duration, plural, tokens } from "./notice-words.ts";

export function dueNotice(event: EventOf<"compaction-due">, surface: Surface): Notice {
  return {
    text: `A compaction is due (${tokens(event.tokens)}). It saves ${tokens(event.savesTokensPerRequest)} on every request. Start it with ${command("compact", surface)}.`,
    weight: "problem",
    once: "compaction-due",
  };
}

export function announcementText(event: EventOf<"compaction-announced">, surface: Surface): string {
  const saved = event.savesUsdPerRequest === undefined ? "" : ` (${usd(event.savesUsdPerRequest)})`;
  const saves = `saves ${tokens(event.savesTokensPerRequest)}${saved} on every request`;
  switch (event.when) {
    case "now":
      return (
        `The conversation has ${tokens(event.tokens)}. Compacting it to about ${count(event.expectedTokens)} ${saves}. ` +
        `Undo it with ${command("undo", surface)}. Choose the profile that decides when with ${command("config", surface)}.`
      );
    case "after-next-message":
      return (
        `This session was resumed with ${tokens(event.tokens)}. It is compacted after your next message: that ${saves}. ` +
        `To keep more detail: ${command("config", surface)} quality.`
      );
    case "when-full":
      return (
        `You took back a compaction, so the conversation (${tokens(event.tokens)}) stays whole until the window is nearly full. ` +
        `${command("compact", surface)} ${saves}.`
      );
  }
}

export function compactionNotice({ outcome, atMs }: EventOf<"compaction-ended">, surface: Surface): Notice {
  const { retryAtMs } = outcome.kind === "compacted" ? {} : outcome;
  const next = retryAtMs === undefined ? "" : ` The next try is in ${duration(retryAtMs - atMs)}.`;
  switch (outcome.kind) {
    case "compacted": {
      const { tokensBefore, tokensAfter, rung, withoutSummary } = outcome;
      const sizes = `${count(tokensBefore)} -> ${tokens(tokensAfter)}`;
      const undo = `Undo it with ${command("undo", surface)}.`;
      if (withoutSummary === undefined) return news(`Compacted: ${sizes} (${rung}). ${undo}`);
      return problem(
        `Compacted without a summary by the model (${WITHOUT[withoutSummary]}): ${sizes}. Details are missing. ${undo}`,
      );
    }
    case "declined":
      return problem(`Not compacted: ${DECLINED[outcome.reason] ?? outcome.reason}.${next}`);
    case "failed":
      return problem(`Compaction failed: ${FAILED[outcome.failure]}${next}`);
  }
}

/** Why no model wrote the summary. */
const WITHOUT: Readonly<Record<SummaryFailure, string>> = {
  no_summary: "no usable summary came back",
  api_error: "the provider did not answer",
  prompt_too_long: "the request was too long",
  aborted: "it was stopped",
};

type SummaryFailure = Extract<EventOf<"compaction-ended">["outcome"], { kind: "failed" }>["failure"];

const DECLINED: Readonly<Record<string, string>> = {
  "switched-off": "compaction is switched off (setting compaction.enabled)",
  blocked: "a hook blocked it",
  "nothing-to-compact": "there is nothing that a summary could replace",
  "too-small": "the conversation is too small for a summary to save anything",
  overtaken: "the conversation changed while the summary was written. It is tried again before the next request",
};

const FAILED: Readonly<Record<SummaryFailure, string>> = {
  no_summary: "no usable summary came back. The conversation is as it was.",
  api_error: "the provider did not answer. The conversation is as it was.",
  prompt_too_long:
    "what must stay in context is too large. Shorten the instructions, offer fewer tools, or use a model with a larger window.",
  aborted: "it was stopped. The conversation is as it was.",
};

export function restoredNotice({ failed, parts }: EventOf<"files-restored">): Notice | undefined {
  const unread = failed === 0 ? [] : [`${plural(failed, "file")} could not be read again`];
  const short = parts.flatMap(({ type, name, shown, tokens: seen, ofTokens }) => {
    if (type === "file" || shown === "whole") return [];
    const what = name === undefined ? `the ${type}` : `the ${type} ${name}`;
    return [shown === "cut" ? `${what} is cut to ${count(seen)} of ${tokens(ofTokens)}` : `${what} is left out`];
  });
  const all = [...unread, ...short];
  return all.length === 0 ? undefined : problem(`After the compaction, ${all.join("; ")}. The model may ask for it.`);
}

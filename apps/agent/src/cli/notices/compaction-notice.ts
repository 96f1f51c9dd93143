import { type EventOf, type Notice, news, problem, type Surface } from "../../commands/text/notice.ts";
import { rungName } from "../../text/plain-names.ts";
import { usd } from "../../text/table.ts";
import { command, count, duration, plural, tokens } from "./notice-words.ts";

export function dueNotice(event: EventOf<"compaction-due">, surface: Surface): Notice {
  return {
    text: `The conversation has ${tokens(event.tokens)}. Compacting it saves ${tokens(event.savesTokensPerRequest)} on every request. To compact it: ${command("compact", surface)}.`,
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
        `To undo it: ${command("undo", surface)}. To choose when to compact: ${command("config", surface)}.`
      );
    case "after-next-message":
      return (
        `You resumed a session of ${tokens(event.tokens)}. It will be compacted after your next message, which ${saves}. ` +
        `To keep more detail: ${command("config", surface)} quality.`
      );
    case "when-full":
      return (
        `You undid a compaction, so the conversation (${tokens(event.tokens)}) stays whole until the context window is nearly full. ` +
        `To compact it anyway: ${command("compact", surface)}. That ${saves}.`
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
      const undo = `To undo it: ${command("undo", surface)}.`;
      if (withoutSummary === undefined) return news(`Compacted: ${sizes} (${rungName(rung)}). ${undo}`);
      return problem(
        `Compacted, but the model wrote no summary: ${WITHOUT[withoutSummary]}. ${sizes}; details are missing. ${undo}`,
      );
    }
    case "declined":
      return problem(`Not compacted: ${DECLINED[outcome.reason] ?? outcome.reason}.${next}`);
    case "failed":
      return problem(`Compaction failed: ${FAILED[outcome.failure]}${next}`);
  }
}

/** Why the model wrote no summary. */
const WITHOUT: Readonly<Record<SummaryFailure, string>> = {
  no_summary: "the model returned no usable summary",
  api_error: "the provider did not answer",
  prompt_too_long: "the request was too long",
  aborted: "it was stopped",
};

type SummaryFailure = Extract<EventOf<"compaction-ended">["outcome"], { kind: "failed" }>["failure"];

const DECLINED: Readonly<Record<string, string>> = {
  "switched-off": "compaction is switched off. To switch it on, set compaction.enabled to true",
  blocked: "a hook blocked it",
  "nothing-to-compact": "the conversation has nothing that a summary could replace",
  "too-small": "the conversation is so small that a summary would save nothing",
  overtaken: "the conversation changed while the summary was written. The next request tries again",
};

const FAILED: Readonly<Record<SummaryFailure, string>> = {
  no_summary: "the model returned no usable summary. The conversation is unchanged.",
  api_error: "the provider did not answer. The conversation is unchanged.",
  prompt_too_long:
    "the parts that must stay in context are too large. Shorten the instructions, offer fewer tools, or use a model with a larger window.",
  aborted: "it was stopped. The conversation is unchanged.",
};

export function restoredNotice({ failed, parts }: EventOf<"files-restored">): Notice | undefined {
  const unread = failed === 0 ? [] : [`${plural(failed, "file")} could not be read`];
  const short = parts.flatMap(({ type, name, shown, tokens: seen, ofTokens }) => {
    if (type === "file" || shown === "whole") return [];
    const what = name === undefined ? `the ${type}` : `the ${type} ${name}`;
    return [shown === "cut" ? `${what} was cut to ${count(seen)} of ${tokens(ofTokens)}` : `${what} was left out`];
  });
  const all = [...unread, ...short];
  return all.length === 0
    ? undefined
    : problem(`After the compaction, ${all.join("; ")}. The model can still read what it needs.`);
}

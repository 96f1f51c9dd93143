import { filesRead } from "../known-files.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";

/**
 * Returns the usual compaction limit: 20,000 tokens of the window are reserved for the summary, 13,000 for content that
 * may come before it.
 */
export function limitOf(windowTokens: number): number {
  return windowTokens - 33_000;
}

/** Does nothing until the window is full; then summarizes everything. */
export const appendOnly: Rule = {
  name: "append-only",
  about: "everything is sent again until the window is full; then a summary and the five newest files",
  source: "the usual loop without any context management but compaction at the limit",
  begin: () => ({
    prepare: (messages, situation) => ({ kept: compactAt(limitOf(situation.windowTokens), messages, situation) }),
  }),
};

/** Compacts at a fixed size, whatever the window: the plainest way to spend less. */
export const plainRules: readonly Rule[] = [80, 100, 130, 167].map((thousands) => ({
  name: `plain-${thousands}k`,
  about: `compaction at ${thousands},000 tokens, without clearing: a summary and the five newest files`,
  source: "what most agents do at the end of a window of 200,000 tokens",
  begin: () => ({
    prepare: (messages, situation) => {
      const threshold = Math.min(1_000 * thousands, limitOf(situation.windowTokens));
      return { kept: compactAt(threshold, messages, situation) };
    },
  }),
}));

const MAX_FILES = 5;
const FILE_TOKENS = 5_000;

/** Compacts to a summary with the conversation's own prompt, and the current content of the files read last. */
export function compactAt(
  thresholdTokens: number,
  messages: readonly RuleMessage[],
  situation: RuleSituation,
): readonly RuleMessage[] {
  if (situation.sizeOf(messages) < thresholdTokens) return messages;
  const { folded, pending } = splitPending(messages);
  if (folded.length === 0) return messages;
  const summary = situation.summarize(folded, { prompt: "shared" });
  return [summary, ...newestFiles(folded, situation), ...pending];
}

/** Unanswered user messages stay; results are compacted with their calls. */
export function splitPending(messages: readonly RuleMessage[]): {
  readonly folded: readonly RuleMessage[];
  readonly pending: readonly RuleMessage[];
} {
  const last = messages.findLastIndex(({ kind }) => kind === "response" || kind === "result" || kind === "summary");
  return { folded: messages.slice(0, last + 1), pending: messages.slice(last + 1) };
}

/** Returns the files read last, through whatever tool, each up to a limit. */
function newestFiles(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  const paths = new Set<string>();
  for (const { kind, call, status } of messages.toReversed()) {
    if (kind !== "result" || status === "error" || call === undefined) continue;
    for (const path of filesRead(call)) paths.add(path);
    if (paths.size >= MAX_FILES) break;
  }
  return [...paths].flatMap((path) => {
    const content = situation.readFile(path);
    if (content === undefined) return [];
    const whole = situation.made("host", `${path}\n${content}`);
    const share = FILE_TOKENS / whole.tokens;
    return share >= 1 ? [whole] : [situation.made("host", whole.text.slice(0, Math.floor(whole.text.length * share)))];
  });
}

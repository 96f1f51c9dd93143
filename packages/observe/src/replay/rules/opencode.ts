import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { CLEARED, tailFrom, withReplaced } from "./rule-parts.ts";

const SOURCE = "https://github.com/anomalyco/opencode packages/opencode/src/session/{overflow,compaction}.ts";
const RESERVED_TOKENS = 20_000;
const TAIL_TOKENS = { least: 2_000, most: 15_000, share: 0.25 };
const RESULT_CHARACTERS = 2_000;
const PROTECTED_TOKENS = 40_000;
const LEAST_PRUNED_TOKENS = 20_000;
const PROTECTED_TURNS = 2;

/**
 * The rule of opencode: the older part is written as a transcript, each result cut to 2,000 characters, and summarized;
 * the newest 15,000 tokens stay.
 */
export const openCode: Rule = {
  name: "opencode",
  about: "summarizes a transcript 20,000 tokens before the end of the window, and keeps the newest 15,000",
  source: SOURCE,
  begin: () => ({ prepare: (messages, situation) => ({ kept: compact(messages, situation) }) }),
};

/** The same with pruning: at the end of a turn, results older than the newest 40,000 tokens of results are cleared. */
export const openCodePrune: Rule = {
  name: "opencode-prune",
  about: "the same, and at the end of a turn results older than the newest 40,000 tokens of them are pruned",
  source: SOURCE,
  begin: () => ({
    prepare(messages, situation) {
      const isNewTurn = messages.at(-1)?.kind === "words";
      return { kept: compact(isNewTurn ? prune(messages, situation) : messages, situation) };
    },
  }),
};

function compact(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  const usableTokens = situation.windowTokens - RESERVED_TOKENS;
  if (situation.sizeOf(messages) < usableTokens) return messages;
  const { least, most, share } = TAIL_TOKENS;
  const from = tailFrom(messages, Math.min(most, Math.max(least, share * usableTokens)));
  if (from <= 0) return messages;
  const how = { prompt: "fresh", resultCharacters: RESULT_CHARACTERS } as const;
  return [situation.summarize(messages.slice(0, from), how), ...messages.slice(from)];
}

function prune(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  let [turns, seenTokens, prunedTokens] = [0, 0, 0];
  const chosen = new Set<RuleMessage>();
  for (const message of messages.toReversed()) {
    if (message.kind === "words") turns++;
    if (message.kind === "summary") break;
    if (turns < PROTECTED_TURNS || message.kind !== "result") continue;
    if (message.item === undefined) break;
    if (message.call?.name === "skill") continue;
    seenTokens += message.tokens;
    if (seenTokens <= PROTECTED_TOKENS) continue;
    prunedTokens += message.tokens;
    chosen.add(message);
  }
  return prunedTokens > LEAST_PRUNED_TOKENS ? withReplaced(messages, chosen, () => CLEARED, situation) : messages;
}

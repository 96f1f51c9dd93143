import { compactAt } from "./plain-rules.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { CLEARED, wholeResults, withReplaced } from "./rule-parts.ts";

const IDLE_MS = 3_600_000;
const MAX_CHARACTERS = 500_000;
const KEPT_RESULTS = 5;

/**
 * The rule of Qwen Code: old results are cleared after an idle hour, or when all together have 500,000 characters (down
 * to half of that); the newest five stay, and errors. Everything is summarized with the conversation's own prompt at
 * 85% of the window, or 33,000 tokens before its end; five files are read again.
 */
export const qwenCode: Rule = {
  name: "qwen-code",
  about: "clears after an hour or at 500,000 characters of results, summarizes at 85% of the window",
  source:
    "https://github.com/QwenLM/qwen-code packages/core/src/services/{microcompaction/microcompact,chatCompressionService}.ts",
  begin: () => ({
    prepare(messages, situation) {
      const { windowTokens } = situation;
      const cleared = clear(messages, situation);
      return { kept: compactAt(Math.min(0.85 * windowTokens, windowTokens - 33_000), cleared, situation) };
    },
  }),
};

function clear(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  const results = wholeResults(messages).slice(0, -KEPT_RESULTS);
  const clearable = results.filter(({ status }) => status !== "error");
  if ((situation.idleMs ?? 0) >= IDLE_MS) return withReplaced(messages, new Set(clearable), () => CLEARED, situation);
  let characters = wholeResults(messages).reduce((sum, { text }) => sum + text.length, 0);
  if (characters <= MAX_CHARACTERS) return messages;
  const chosen = new Set<RuleMessage>();
  for (const result of clearable) {
    if (characters <= MAX_CHARACTERS / 2) break;
    chosen.add(result);
    characters -= result.text.length;
  }
  return withReplaced(messages, chosen, () => CLEARED, situation);
}

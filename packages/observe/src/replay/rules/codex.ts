import { splitPending } from "./plain-rules.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { headAndTail, tailFrom, withReplaced } from "./rule-parts.ts";

/** 10,000 tokens, which it counts as 4 bytes each. */
const RESULT_CHARACTERS = 40_000;
const COMPACT_SHARE = 0.9;
const USER_TOKENS = 20_000;

/**
 * The rule of Codex: results are cut to 10,000 tokens when they arrive. At 90% of the window, everything is summarized
 * with the conversation's own prompt; the newest 20,000 tokens of user messages stay verbatim. (Its service can also
 * compact by itself, into a sealed block that cannot be inspected. One of its ten models is cut to 10,000 bytes.)
 */
export const codex: Rule = {
  name: "codex",
  about: "cuts results to 10,000 tokens; at 90% of the window a summary and the user's newest 20,000 tokens",
  source:
    "https://github.com/openai/codex at 343074d42 (2026-08-22): codex-rs/models-manager/models.json (truncation_policy), codex-rs/utils/string/src/truncate.rs, codex-rs/core/src/compact.rs, codex-rs/protocol/src/openai_models.rs",
  begin: () => ({
    prepare(messages, situation) {
      const long = messages.filter(({ kind, text }) => kind === "result" && text.length > RESULT_CHARACTERS + 10);
      const cut = withReplaced(messages, new Set(long), ({ text }) => headAndTail(text, RESULT_CHARACTERS), situation);
      return { kept: compact(cut, situation) };
    },
  }),
};

function compact(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  if (situation.sizeOf(messages) < COMPACT_SHARE * situation.windowTokens) return messages;
  const { folded, pending } = splitPending(messages);
  if (folded.length === 0) return messages;
  const said = folded.filter(({ kind }) => kind === "words");
  const kept = said.slice(tailFrom(said, USER_TOKENS));
  return [...kept, situation.summarize(folded, { prompt: "shared" }), ...pending];
}

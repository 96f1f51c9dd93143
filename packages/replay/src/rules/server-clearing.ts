import { compactAt, limitOf } from "./plain-rules.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { CLEARED, wholeResults } from "./rule-parts.ts";

const SOURCE = "https://platform.claude.com/docs/en/build-with-claude/context-editing (clear_tool_uses_20250919)";
const TRIGGER_TOKENS = 100_000;
const KEPT_RESULTS = 3;

/**
 * The provider clears results in each request: above 100,000 input tokens, all but the newest three. The client keeps
 * sending everything, and compacts when the remaining input reaches the limit.
 */
export const serverClearing: Rule = serverRule("server-clearing", 0, "as the provider does it by default");

/** The same, but only if at least 20,000 more tokens can be cleared than before. */
export const serverClearing20K: Rule = serverRule("server-clearing-20k", 20_000, "20,000 tokens at a time at least");

function serverRule(name: string, minimumTokens: number, how: string): Rule {
  return {
    name,
    about: `results but the newest three are left out by the provider above 100,000 tokens, ${how}`,
    source: SOURCE,
    begin() {
      const stubs = new Map<RuleMessage, RuleMessage>();
      return {
        prepare(messages, situation) {
          const sent = leaveOut(messages, situation, stubs, minimumTokens);
          const kept = compactAt(limitOf(situation.windowTokens), sent, situation);
          return kept === sent ? { kept: messages, sent } : { kept };
        },
      };
    },
  };
}

function leaveOut(
  messages: readonly RuleMessage[],
  situation: RuleSituation,
  stubs: Map<RuleMessage, RuleMessage>,
  minimumTokens: number,
): readonly RuleMessage[] {
  const sizeBefore = situation.sizeOf(messages);
  if (sizeBefore < TRIGGER_TOKENS) return messages;
  const clearable = wholeResults(messages).slice(0, -KEPT_RESULTS);
  const more = clearable.filter((result) => !stubs.has(result));
  if (more.reduce((sum, { tokens }) => sum + tokens, 0) >= Math.max(1, minimumTokens)) {
    for (const result of more) stubs.set(result, situation.replaced(result, CLEARED));
  }
  return messages.map((message) => stubs.get(message) ?? message);
}

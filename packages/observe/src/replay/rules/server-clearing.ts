import { compactAt, limitOf } from "./plain-rules.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { CLEARED, wholeResults } from "./rule-parts.ts";

const SOURCE = "https://platform.claude.com/docs/en/build-with-claude/context-editing (clear_tool_uses_20250919)";
const TRIGGER_TOKENS = 100_000;
const KEPT_RESULTS = 3;

/**
 * The provider clears results in each request: above 100,000 input tokens, all but the newest three. The client keeps
 * sending everything, and compacts when the remaining input reaches the limit. What the documentation leaves open is read
 * in favor of the service: the client knows what is cleared, and puts a cache mark before the oldest result that is not.
 */
export const serverClearing: Rule = serverRule("server-clearing", { minimumTokens: 0, marks: "at-cut" });

/** A client that marks the ends of its requests alone: each result that is cleared makes all of them useless. */
export const serverClearingUnmarked: Rule = serverRule("server-clearing-unmarked", { minimumTokens: 0, marks: "ends" });

/** `clear_at_least`: only if at least 20,000 more tokens can be cleared than before. */
export const serverClearing20K: Rule = serverRule("server-clearing-20k", { minimumTokens: 20_000, marks: "at-cut" });

interface ServerClearing {
  readonly minimumTokens: number;
  readonly marks: "at-cut" | "ends";
}

function serverRule(name: string, { minimumTokens, marks }: ServerClearing): Rule {
  const batch = minimumTokens === 0 ? "" : `, ${minimumTokens} tokens at a time at least`;
  return {
    name,
    about: `the provider leaves out all results but the newest three above 100,000 tokens${batch}; cache marks: ${marks}`,
    source: SOURCE,
    begin() {
      const stubs = new Map<RuleMessage, RuleMessage>();
      return {
        prepare(messages, situation) {
          const sent = leaveOut(messages, situation, stubs, minimumTokens);
          const kept = compactAt(limitOf(situation.windowTokens), sent, situation);
          if (kept !== sent) return { kept };
          const cut = sent.findLastIndex((message, index) => message !== messages[index]) + 1;
          return { kept: messages, sent, ...(marks === "at-cut" && cut > 0 ? { stableMessages: cut } : {}) };
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

import { compactAt, limitOf, type RuleMessage, type RuleSituation } from "@palimpsest/observe/replay";

/** None of these libraries knows how full the window really is: what they leave too large is compacted as by anyone. */
export function compactAtLimit(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  return compactAt(limitOf(situation.windowTokens), messages, situation);
}

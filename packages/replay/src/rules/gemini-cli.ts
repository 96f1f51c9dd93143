import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { wholeFrom, wholeResults, withReplaced } from "./rule-parts.ts";

const PROTECTED_TOKENS = 50_000;
const LEAST_MASKED_TOKENS = 30_000;
const PREVIEW_CHARACTERS = 250;
const PREVIEW_LINES = 10;
const COMPRESS_SHARE = 0.5;
const KEPT_SHARE = 0.3;

/**
 * The rule of Gemini CLI: results older than the newest 50,000 tokens of results become previews, 30,000 tokens at a
 * time. At half of the window, the older 70% are summarized with a separate prompt, and a second call checks the
 * summary; the newest 30% stay.
 */
export const geminiCli: Rule = {
  name: "gemini-cli",
  about: "masks results behind the newest 50,000 tokens, summarizes the older 70% at half of the window",
  source:
    "https://github.com/google-gemini/gemini-cli packages/core/src/context/{toolOutputMaskingService,chatCompressionService}.ts",
  begin: () => ({ prepare: (messages, situation) => ({ kept: compress(mask(messages, situation), situation) }) }),
};

function mask(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  let [seenTokens, maskedTokens] = [0, 0];
  const chosen = new Set<RuleMessage>();
  // The latest turn, which is the newest message, stays.
  for (const result of wholeResults(messages.slice(0, -1)).toReversed()) {
    seenTokens += result.tokens;
    if (seenTokens <= PROTECTED_TOKENS) continue;
    maskedTokens += result.tokens;
    if (result.text.length > 2 * PREVIEW_CHARACTERS) chosen.add(result);
  }
  return maskedTokens < LEAST_MASKED_TOKENS ? messages : withReplaced(messages, chosen, preview, situation);
}

function preview({ text, call }: RuleMessage): string {
  const isShell = /shell|bash|exec/i.test(call?.name ?? "");
  const lines = text.split("\n");
  const few = isShell
    ? lines.length <= 2 * PREVIEW_LINES
      ? text
      : [...lines.slice(0, PREVIEW_LINES), "[...]", ...lines.slice(-PREVIEW_LINES)].join("\n")
    : `${text.slice(0, PREVIEW_CHARACTERS)}\n[...]\n${text.slice(-PREVIEW_CHARACTERS)}`;
  return `<masked>\n${few}\nThe full output is in a file.\n</masked>`;
}

function compress(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  if (situation.sizeOf(messages) < COMPRESS_SHARE * situation.windowTokens) return messages;
  const total = messages.reduce((sum, { text }) => sum + text.length, 0);
  let passed = 0;
  const at = messages.findIndex(({ text }) => {
    passed += text.length;
    return passed > (1 - KEPT_SHARE) * total;
  });
  const from = wholeFrom(messages, at);
  if (from <= 0) return messages;
  const folded = messages.slice(0, from);
  return [situation.summarize(folded, { prompt: "fresh", calls: 2 }), ...messages.slice(from)];
}

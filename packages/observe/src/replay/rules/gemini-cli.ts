import { compactAt, limitOf } from "./plain-rules.ts";
import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { wholeResults, withReplaced } from "./rule-parts.ts";

const PROTECTED_TOKENS = 50_000;
const LEAST_MASKED_TOKENS = 30_000;
const PREVIEW_CHARACTERS = 250;
const PREVIEW_LINES = 10;
const COMPRESS_SHARE = 0.5;
const KEPT_SHARE = 0.3;
/** What results may have together when a conversation is compressed; older ones are cut like shell output. */
const KEPT_RESULT_TOKENS = 50_000;
const RESULT_CHARACTERS = 40_000;
const HEAD_SHARE = 0.2;

/**
 * The rule of Gemini CLI: at half of the window, the older 70% are summarized with a separate prompt, and a second call
 * checks the summary. It splits only before a message of the user: in a long turn, less is summarized, or nothing. After a
 * summary that was longer than what it replaced, it only cuts results. Results older than the newest 50,000 tokens of
 * results become previews, 30,000 tokens at a time. Shell output is cut to 40,000 characters. Where nothing can be split and
 * the window is full, the program stops; here it compacts like the others.
 */
export const geminiCli: Rule = {
  name: "gemini-cli",
  about:
    "masks results behind the newest 50,000 tokens; at half of the window summarizes the older 70%, in whole turns",
  source:
    "https://github.com/google-gemini/gemini-cli at 5411f113c (0.56.0-nightly, 2026-08-21): packages/core/src/context/{chatCompressionService,toolOutputMaskingService}.ts, packages/core/src/core/client.ts, packages/core/src/scheduler/tool-executor.ts",
  begin() {
    let summaries: "help" | "are-longer" = "help";
    return {
      prepare(messages, situation) {
        let kept = cut(messages, situation);
        if (situation.sizeOf(kept) >= COMPRESS_SHARE * situation.windowTokens) {
          const compressed = summaries === "help" ? compress(kept, situation) : withinBudget(kept, situation);
          if (compressed === "longer") summaries = "are-longer";
          else kept = compressed;
        }
        return { kept: compactAt(limitOf(situation.windowTokens), mask(kept, situation), situation) };
      },
    };
  },
};

function cut(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  const long = wholeResults(messages).filter((one) => isShell(one) && one.text.length > RESULT_CHARACTERS);
  return withReplaced(messages, new Set(long), shortened, situation);
}

function shortened({ text }: RuleMessage): string {
  const head = HEAD_SHARE * RESULT_CHARACTERS;
  return `${text.slice(0, head)}\n[...]\n${text.slice(head - RESULT_CHARACTERS)}`;
}

function isShell({ call }: RuleMessage): boolean {
  return /shell|bash|exec/i.test(call?.name ?? "");
}

function compress(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] | "longer" {
  const from = splitPoint(messages);
  // Taken at its word, it would summarize a lone summary before every further request of a long turn.
  if (messages.slice(0, from).every(({ kind }) => kind === "summary")) return messages;
  const kept = withinBudget(messages, situation).slice(from);
  const compressed = [situation.summarize(messages.slice(0, from), { prompt: "fresh", calls: 2 }), ...kept];
  // It compares what it has now without the head to what it had with it.
  const sizeAfter = situation.sizeOf(compressed) - situation.headTokens;
  return sizeAfter > situation.sizeOf(messages) ? "longer" : compressed;
}

/** The first message of the user behind 70% of all characters, or else the last one. */
function splitPoint(messages: readonly RuleMessage[]): number {
  const target = (1 - KEPT_SHARE) * messages.reduce((sum, { text }) => sum + text.length, 0);
  let [last, passed] = [0, 0];
  for (const [index, { kind, text }] of messages.entries()) {
    if (kind === "words") {
      if (passed >= target) return index;
      last = index;
    }
    passed += text.length;
  }
  return last;
}

function withinBudget(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  let tokens = 0;
  const over = new Set<RuleMessage>();
  for (const result of messages.filter(({ kind }) => kind === "result").toReversed()) {
    tokens += result.tokens;
    if (tokens > KEPT_RESULT_TOKENS && result.text.length > RESULT_CHARACTERS) over.add(result);
  }
  return withReplaced(messages, over, shortened, situation);
}

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

function preview(result: RuleMessage): string {
  const { text } = result;
  const lines = text.split("\n");
  const few = isShell(result)
    ? lines.length <= 2 * PREVIEW_LINES
      ? text
      : [...lines.slice(0, PREVIEW_LINES), "[...]", ...lines.slice(-PREVIEW_LINES)].join("\n")
    : `${text.slice(0, PREVIEW_CHARACTERS)}\n[...]\n${text.slice(-PREVIEW_CHARACTERS)}`;
  return `<masked>\n${few}\nThe full output is in a file.\n</masked>`;
}

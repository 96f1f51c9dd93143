import type { Rule, RuleMessage, RuleSituation } from "./rule.ts";
import { tailFrom, wholeResults, withReplaced } from "./rule-parts.ts";

const COMPACT_SHARE = 0.9;
const TAIL_TOKENS = 20_000;
const RESULT_CHARACTERS = 8_000;
const FILE_CHARACTERS = 50_000;
const LEAST_STALE_BYTES = 65_536;
const OUTDATED = "[outdated - see the latest file content]";

/**
 * The rule of cline: results are cut to 8,000 characters, files to 50,000. Old reads of files that were read again are
 * cleared in batches of 64 KB, so that the cached prompt seldom breaks. At 90% of the window, all but the newest 20,000
 * tokens are summarized from a transcript.
 */
export const cline: Rule = {
  name: "cline",
  about: "cuts results, replaces outdated reads 64 KB at a time, summarizes at 90% and keeps the newest 20,000 tokens",
  source: "https://github.com/cline/cline sdk/packages/core/src/extensions/context",
  begin: () => ({
    prepare: (messages, situation) => ({ kept: compact(outdate(cut(messages, situation), situation), situation) }),
  }),
};

function cut(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  const limitOf = (message: RuleMessage): number =>
    pathRead(message) === undefined ? RESULT_CHARACTERS : FILE_CHARACTERS;
  const long = wholeResults(messages).filter((message) => message.text.length > limitOf(message));
  return withReplaced(messages, new Set(long), (message) => message.text.slice(0, limitOf(message)), situation);
}

function outdate(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  const newest = new Set<string>();
  const stale = new Set<RuleMessage>();
  for (const message of messages.toReversed()) {
    const path = pathRead(message);
    if (path === undefined || message.text === OUTDATED) continue;
    if (newest.has(path)) stale.add(message);
    newest.add(path);
  }
  const bytes = [...stale].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return bytes < LEAST_STALE_BYTES ? messages : withReplaced(messages, stale, () => OUTDATED, situation);
}

function pathRead({ kind, call, status }: RuleMessage): string | undefined {
  if (kind !== "result" || status === "error" || call === undefined || !/^read/i.test(call.name)) return undefined;
  const { file_path, path = file_path } = call.input as { readonly file_path?: unknown; readonly path?: unknown };
  return typeof path === "string" ? path : undefined;
}

function compact(messages: readonly RuleMessage[], situation: RuleSituation): readonly RuleMessage[] {
  if (situation.sizeOf(messages) < COMPACT_SHARE * situation.windowTokens) return messages;
  const from = tailFrom(messages, TAIL_TOKENS);
  if (from <= 0) return messages;
  return [situation.summarize(messages.slice(0, from), { prompt: "fresh" }), ...messages.slice(from)];
}

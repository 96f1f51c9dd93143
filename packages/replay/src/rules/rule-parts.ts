import type { RuleMessage, RuleSituation } from "./rule.ts";

/** What most agents put in the place of a result. */
export const CLEARED = "[Old tool result content cleared]";

/** The messages with some of them replaced by other words; the others stay the same objects. */
export function withReplaced(
  messages: readonly RuleMessage[],
  chosen: ReadonlySet<RuleMessage>,
  textOf: (message: RuleMessage) => string,
  situation: RuleSituation,
): readonly RuleMessage[] {
  if (chosen.size === 0) return messages;
  return messages.map((message) => (chosen.has(message) ? situation.replaced(message, textOf(message)) : message));
}

/** Results that still stand as they came, oldest first. */
export function wholeResults(messages: readonly RuleMessage[]): readonly RuleMessage[] {
  return messages.filter(({ kind, item }) => kind === "result" && item !== undefined);
}

/** Where the newest messages begin that have so many tokens; no result is parted from its call. */
export function tailFrom(messages: readonly RuleMessage[], tokens: number): number {
  let left = tokens;
  const first = messages.findLastIndex((message) => {
    left -= message.tokens;
    return left < 0;
  });
  return wholeFrom(messages, first + 1);
}

/** The same place, or the response before it whose results would be parted from it. */
export function wholeFrom(messages: readonly RuleMessage[], at: number): number {
  let from = at;
  while (from < messages.length && from > 0 && messages[from]!.kind === "result") from--;
  return from;
}

/** The beginning and the end of a text. */
export function headAndTail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.floor(characters / 2);
  return `${text.slice(0, half)}\n[...]\n${text.slice(-half)}`;
}

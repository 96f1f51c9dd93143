import type { RuleMessage, RuleSituation } from "./rule.ts";

/** The text with which most agents replace a result. */
export const CLEARED = "[Old tool result content cleared]";

/** Returns the messages with some of them replaced by other text; the others stay the same objects. */
export function withReplaced(
  messages: readonly RuleMessage[],
  chosen: ReadonlySet<RuleMessage>,
  textOf: (message: RuleMessage) => string,
  situation: RuleSituation,
): readonly RuleMessage[] {
  if (chosen.size === 0) return messages;
  return messages.map((message) => (chosen.has(message) ? situation.replaced(message, textOf(message)) : message));
}

/** Returns the results that are still complete, oldest first. */
export function wholeResults(messages: readonly RuleMessage[]): readonly RuleMessage[] {
  return messages.filter(({ kind, item }) => kind === "result" && item !== undefined);
}

/** Returns where the newest messages with this many tokens begin; no result is separated from its call. */
export function tailFrom(messages: readonly RuleMessage[], tokens: number): number {
  let left = tokens;
  const first = messages.findLastIndex((message) => {
    left -= message.tokens;
    return left < 0;
  });
  return wholeFrom(messages, first + 1);
}

/** Returns the same place, or the response before it whose results would be separated from it. */
function wholeFrom(messages: readonly RuleMessage[], at: number): number {
  let from = at;
  while (from < messages.length && from > 0 && messages[from]!.kind === "result") from--;
  return from;
}

/** Returns the beginning and the end of a text. */
export function headAndTail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.floor(characters / 2);
  return `${text.slice(0, half)}\n[...]\n${text.slice(-half)}`;
}

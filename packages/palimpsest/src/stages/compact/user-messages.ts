import { headOf, tailOf } from "../store-results/cut-text.ts";
import { isCorrection } from "./evidence/find-rules.ts";

/** A message of the user's. */
export interface UserMessage {
  /** Where it stands in the log. */
  readonly entry: number;
  readonly text: string;
}

export interface UserMessagesOptions {
  /** The text has no more, unless the first and the newest need it. */
  readonly budgetTokens: number;
  /**
   * What the first and the newest may have where the budget would leave only words of them; to be whole, they may have
   * half of what it is more than the budget. @default budgetTokens
   */
  readonly mostTokens?: number;
  readonly countTokens: (text: string) => number;
}

/** Of a message that is cut, its beginning gets more: there stands what is asked. */
const HEAD_SHARE = 0.6;
/** A task or a question that is no longer than this is not cut for the sake of anything else. */
const LEAST_CHARACTERS = 800;

/**
 * The user's messages, verbatim, each once and in the order they were written. The first (the task) and the newest are
 * always there, cut in the middle if they must be; of the others corrections come first, then the newest. What was left
 * out is named by its numbers. Empty if the budget has no room for a word.
 */
export function userMessagesText(
  messages: readonly UserMessage[],
  { budgetTokens, mostTokens = budgetTokens, countTokens }: UserMessagesOptions,
): string {
  const fitsIn = (tokens: number) => (texts: ReadonlyMap<UserMessage, string>) =>
    countTokens(render(messages, texts)) <= tokens;
  const fits = fitsIn(budgetTokens);
  const all = new Map(messages.map((message) => [message, message.text]));
  if (fits(all)) return render(messages, all);
  const ends = endsOf(messages);
  const chosen = new Map(ends.map((message) => [message, message.text]));
  if (!fits(chosen)) {
    // Rather whole, for half of what the rest has, than cut.
    if (fitsIn((budgetTokens + mostTokens) / 2)(chosen)) return render(messages, chosen);
    const cut = cutEnds(ends, fits);
    const least = cut.characters < LEAST_CHARACTERS ? cutEnds(ends, fitsIn(mostTokens), LEAST_CHARACTERS) : cut;
    const { texts = cut.texts } = least;
    return texts === undefined ? "" : render(messages, texts);
  }
  const others = messages.filter((message) => !chosen.has(message)).toReversed();
  const { true: corrections = [], false: rest = [] } = Object.groupBy(others, ({ text }) => `${isCorrection(text)}`);
  let leftTokens = budgetTokens - countTokens(render(messages, chosen));
  for (const message of [...corrections, ...rest]) {
    const tokens = countTokens(numbered(message, message.text));
    if (tokens > leftTokens) continue;
    chosen.set(message, message.text);
    leftTokens -= tokens;
  }
  // Counted one by one they may be fewer than together.
  for (const message of [...chosen.keys()].slice(ends.length).toReversed()) {
    if (fits(chosen)) break;
    chosen.delete(message);
  }
  return render(messages, chosen);
}

/** What is told of them at the least, unless the window itself is too small: the first and the newest, whole if they are short. */
export function shortestUserMessagesText(messages: readonly UserMessage[]): string {
  return render(messages, new Map(endsOf(messages).map((message) => [message, cutMiddle(message, LEAST_CHARACTERS)])));
}

function numbered({ entry }: UserMessage, text: string): string {
  return `[${entry}] ${text}`;
}

function endsOf(messages: readonly UserMessage[]): UserMessage[] {
  const [first, newest] = [messages[0], messages.at(-1)];
  return first === undefined || newest === undefined ? [] : first === newest ? [first] : [first, newest];
}

/** As much of both as fits: a message that is short leaves its room to the other. */
function cutEnds(
  ends: readonly UserMessage[],
  fits: (texts: ReadonlyMap<UserMessage, string>) => boolean,
  mostCharacters = Number.POSITIVE_INFINITY,
): { readonly characters: number; readonly texts?: ReadonlyMap<UserMessage, string> } {
  const longest = Math.min(mostCharacters, Math.max(...ends.map(({ text }) => text.length)));
  const cutTo = (characters: number): ReadonlyMap<UserMessage, string> =>
    new Map(ends.map((message) => [message, cutMiddle(message, characters)]));
  let best: ReadonlyMap<UserMessage, string> | undefined;
  let [least, most] = [1, longest];
  while (least <= most) {
    const characters = (least + most) >> 1;
    const texts = cutTo(characters);
    if (fits(texts)) [best, least] = [texts, characters + 1];
    else most = characters - 1;
  }
  return { characters: most, ...(best === undefined ? {} : { texts: best }) };
}

function cutMiddle({ entry, text }: UserMessage, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const head = headOf(text, Math.ceil(maxCharacters * HEAD_SHARE));
  const tail = tailOf(text, maxCharacters - head.length);
  const left = text.length - head.length - tail.length;
  return `${head}\n[... ${left} characters left out: recall entry ${entry} ...]\n${tail}`;
}

function render(messages: readonly UserMessage[], texts: ReadonlyMap<UserMessage, string>): string {
  if (texts.size === 0) return "";
  const parts = messages.flatMap((message) => {
    const text = texts.get(message);
    return text === undefined ? [] : [numbered(message, text)];
  });
  const left = messages.filter((message) => !texts.has(message)).map(({ entry }) => entry);
  const note = left.length === 0 ? [] : [`[${left.length} left out: recall entry ${numbersText(left)}]`];
  return [...parts, ...note].join("\n\n").toWellFormed();
}

/** `3, 7, 9, 12 and 40 more up to 311`: so many numbers are told one by one. */
const MAX_NUMBERS = 20;

function numbersText(entries: readonly number[]): string {
  if (entries.length <= MAX_NUMBERS) return entries.join(", ");
  return `${entries.slice(0, MAX_NUMBERS).join(", ")} and ${entries.length - MAX_NUMBERS} more up to ${entries.at(-1)}`;
}

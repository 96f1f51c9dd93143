import { headOf, tailOf } from "../text.ts";
import { isCorrection } from "./evidence/find.ts";

/** A message of the user's. */
export interface UserMessage {
  /** Where it stands in the log. */
  readonly entry: number;
  readonly text: string;
}

interface UserMessagesOptions {
  /** The size limit of the text, unless the first and the newest message need more. */
  readonly budgetTokens: number;
  /**
   * The limit for the first and the newest message if the budget would leave only fragments. To be complete, they may use half
   * of the amount beyond the budget. @default budgetTokens
   */
  readonly mostTokens?: number;
  readonly countTokens: (text: string) => number;
}

/** The beginning of a cut message gets more: it holds the request. */
const HEAD_SHARE = 0.6;
/** A task or a question up to this length is never cut. */
const LEAST_CHARACTERS = 800;

/**
 * Renders the user's messages verbatim, each once and in order. The first (the task) and the newest are always included, cut in
 * the middle if necessary; among the others corrections come first, then the newest. Omitted messages are listed by number.
 * Empty if the budget has no room.
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
    // Prefers complete messages, for half of the rest of the budget, to cut ones.
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
  // Counted one by one, they may have fewer tokens than together.
  for (const message of [...chosen.keys()].slice(ends.length).toReversed()) {
    if (fits(chosen)) break;
    chosen.delete(message);
  }
  return render(messages, chosen);
}

/** The minimum, unless the window itself is too small: the first and the newest message, complete if they are short. */
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

/** As much of both as fits: a short message leaves its space to the other. */
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
  return { characters: most, texts: best };
}

function cutMiddle({ entry, text }: UserMessage, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const head = headOf(text, Math.ceil(maxCharacters * HEAD_SHARE));
  const tail = tailOf(text, maxCharacters - head.length);
  const left = text.length - head.length - tail.length;
  const cut = `${head}\n[... ${left} characters of entry ${entry} left out ...]\n${tail}`;
  // A note that is longer than what it replaces saves nothing.
  return cut.length < text.length ? cut : text;
}

function render(messages: readonly UserMessage[], texts: ReadonlyMap<UserMessage, string>): string {
  if (texts.size === 0) return "";
  const parts = messages.flatMap((message) => {
    const text = texts.get(message);
    return text === undefined ? [] : [numbered(message, text)];
  });
  const left = messages.filter((message) => !texts.has(message)).map(({ entry }) => entry);
  const note =
    left.length === 0
      ? []
      : [`[${left.length} left out: ${left.length === 1 ? "entry" : "entries"} ${numbersText(left)}]`];
  return [...parts, ...note].join("\n\n").toWellFormed();
}

/** `3, 7, 9, 12 and 40 more up to 311`: so many numbers are told one by one. */
const MAX_NUMBERS = 20;

function numbersText(entries: readonly number[]): string {
  if (entries.length <= MAX_NUMBERS) return entries.join(", ");
  return `${entries.slice(0, MAX_NUMBERS).join(", ")} and ${entries.length - MAX_NUMBERS} more up to ${entries.at(-1)}`;
}

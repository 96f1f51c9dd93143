import { isMatch, type Phrase, snippetOf } from "palimpsest/store-parts";
import { yielding } from "./yielding.ts";

/** Long texts are searched in parts of this length: all words must be in one. So no text holds up the protocol. */
const PART_CHARACTERS = 65_536;
const OVERLAP_CHARACTERS = 1_024;

/** Returns what stands around the phrases; undefined if the text does not have all of them. */
export async function findSnippet(
  text: string,
  phrases: readonly Phrase[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const words = phrases.flat();
  for await (const part of yielding(partsOf(text), signal)) {
    if (mayMatch(part, words) && isMatch(part, phrases)) return snippetOf(part, phrases);
  }
  return undefined;
}

function* partsOf(text: string): Generator<string> {
  for (let at = 0; at === 0 || at + OVERLAP_CHARACTERS < text.length; at += PART_CHARACTERS - OVERLAP_CHARACTERS) {
    yield text.slice(at, at + PART_CHARACTERS);
  }
}

/** Finding the words of a text takes ten times as long as looking for letters, which is enough to rule out most plain texts. */
function mayMatch(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
  return words.every((word) => lower.includes(word)) || !/^[\x00-\x7f]*$/.test(text);
}

import { SEPARATOR } from "./function-words.ts";

/** A longer word is a key or a digest; nobody searches for it in full. */
const MAX_LETTERS = 64;
const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー";
const RUN: RegExp = new RegExp(`[${UNSPACED}]+|[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}]]+`, "gv");
const IS_UNSPACED: RegExp = new RegExp(`^[${UNSPACED}]`, "v");
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/**
 * Splits a text into words, in the same way for topics and queries: runs of letters and digits, without case and accents. An
 * identifier (`retryBudgetMs`) is one word as a whole and several in its parts. In scripts without spaces, each pair of
 * adjacent characters is a word. SQLite's tokenizer handles the forms of a word.
 */
export function readWords(text: string): readonly string[] {
  const runs = text.normalize("NFKC").match(RUN) ?? [];
  return runs.flatMap((run) => (IS_UNSPACED.test(run) ? readUnspaced(run) : readSpaced(run)));
}

function readSpaced(run: string): readonly string[] {
  const parts = run
    .split(HUMP)
    .map(fold)
    .filter((part) => part !== "");
  return parts.length > 1 ? [parts.join("").slice(0, MAX_LETTERS), ...parts] : parts;
}

function readUnspaced(run: string): readonly string[] {
  return run.split(SEPARATOR).flatMap((piece) => {
    const characters = [...piece];
    if (characters.length < 2) return characters;
    return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  });
}

/** `Größe` and `grosse`, `é` and `e`. */
function fold(word: string): string {
  return word.normalize("NFD").toLowerCase().replaceAll("ß", "ss").replace(/\p{M}/gu, "").slice(0, MAX_LETTERS);
}

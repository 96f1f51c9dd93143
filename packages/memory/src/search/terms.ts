/** Scripts without spaces between words. Hangul is among them because its particles are written onto the words. */
const UNSPACED = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`)
  .concat("ー")
  .join("");
/** A run of letters and digits, in scripts of one of the two kinds. */
const RUN = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels and the Arabic filler. Marks of other scripts are letters. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0640]/g;
/**
 * Frequent English words, which matter in long, chatty texts: without the list, LoCoMo turns lose 2.4 points of recall. Other languages
 * have no list, because a word that occurs in many topics already weighs little.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the is are was were be been do does did what when where who whom whose which why how of in on at to for from by with and or " +
    "not no it its he she they his her their i you my your we our that this these those has have had about as if would could should " +
    "will can may might there any some s t"
  ).split(" "),
);
const PIECE_LENGTH = 3;
/** Begins the term of a piece of a word. A piece counts less than a word, and never matches one. */
export const PIECE_MARK = "~";

/**
 * Returns the index terms of a text in any language. Where words are separated by spaces, the terms are the words and their pieces of
 * three characters, so that the forms of a word have terms in common. Elsewhere they are characters and pairs of characters.
 * The time is linear in the length of the text.
 */
export function termsOf(text: string): string[] {
  const plain = text.normalize("NFKC").toLowerCase().normalize("NFD").replace(ACCENTS, "").normalize("NFC");
  return (plain.match(RUN) ?? []).flatMap((run) => {
    const characters = [...run];
    if (isUnspaced(run)) return [...characters, ...pieces(characters, 2)];
    if (STOP_WORDS.has(run)) return [];
    if (characters.length <= PIECE_LENGTH) return [run];
    return [run, ...pieces(characters, PIECE_LENGTH).map((piece) => PIECE_MARK + piece)];
  });
}

/** Whether a term is of a script without spaces between words. */
export function isUnspaced(term: string): boolean {
  return BEGINS_UNSPACED.test(term);
}

function pieces(characters: readonly string[], length: number): string[] {
  if (characters.length <= length) return [characters.join("")];
  return characters.slice(length - 1).map((_, at) => characters.slice(at, at + length).join(""));
}

/**
 * Characters that no screen shows: directions, joiners, tags, variation selectors, fillers. They can hide text from a person that
 * a model reads. Unicode keeps the list (Default_Ignorable_Code_Point); annotation characters are the same to the eye.
 */
export const HIDDEN: RegExp = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/u;
/** Control characters, but for those that end lines and indent. */
const CONTROL = "(?![\\n\\t]|\\r(?=\\n|$))\\p{Cc}";
const WITH_CONTROLS = new RegExp(`${HIDDEN.source}|${CONTROL}`, "u");

/** The flag of Scotland. */
const MAX_ORDINARY_CHARACTERS = 12;
/** Up to so many in a row are named one by one. More of them are a message to somebody else. */
const MAX_NAMED = 4;
/** How much of the same line is looked at for letters that are written from right to left. */
export const CONTEXT_CHARACTERS = 40;

const PICTURE = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}";
/** Scripts that are written without invisible characters. */
const PLAIN_SCRIPTS = ["Latin", "Greek", "Cyrillic", "Han", "Hiragana", "Katakana", "Hangul"];
const plainLetter = PLAIN_SCRIPTS.map((name) => `\\p{Script=${name}}`).join("");
const RIGHT_TO_LEFT = ["Hebrew", "Arabic", "Syriac", "Thaana", "Nko"].map((name) => `\\p{Script=${name}}`).join("");

/** Invisible characters that ordinary text is made of: what stands before them, they themselves, and what follows. */
const ORDINARY: readonly RegExp[] = [
  // Emoji: ❤️, 1️⃣, 👨‍👩‍👧, and the flags of England, Scotland and Wales.
  new RegExp(`[${PICTURE}]\\0[\\ufe0e\\ufe0f]\\0`, "u"),
  new RegExp(`[${PICTURE}]\\0\\ufe0f?\\u200d\\0[${PICTURE}]`, "u"),
  /[0-9#*]\0\ufe0f\0\u20e3/u,
  /\u{1f3f4}\0\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}\0/u,
  // Persian, the scripts of India, Thai: letters that do or do not join, words that may be broken.
  new RegExp(`(?![${plainLetter}])[\\p{L}\\p{M}]\\0[\\u200b-\\u200d]\\0`, "u"),
  // Forms of ideographs in names, and of Mongolian letters.
  /\p{Unified_Ideograph}\0[\u{e0100}-\u{e010f}\ufe00-\ufe02]\0/u,
  /\p{Script=Mongolian}\0[\u180b-\u180f]\0/u,
  /\p{L}\0\u00ad\0\p{L}/u,
  // Hebrew and Arabic beside other text.
  new RegExp(`[${RIGHT_TO_LEFT}][^\\n\\0]*\\0[\\u200e\\u200f\\u061c]\\0`, "u"),
  new RegExp(`\\0[\\u200e\\u200f\\u061c]\\0[${RIGHT_TO_LEFT}]`, "u"),
  // The mark at the beginning of a file.
  /^\0\ufeff\0/u,
];

/** One place of a text where something else is shown than what stands there. */
export interface SpelledPlace {
  /** Where it is in the shown text. */
  readonly at: number;
  readonly shown: string;
  readonly raw: string;
}

/** A text with its hidden characters spelled out, and their places. */
export interface SpelledText {
  readonly text: string;
  readonly places: readonly SpelledPlace[];
}

/**
 * Spells hidden characters out, as in ⟨U+202E⟩, and tells how many there are in long runs: ⟨17 hidden characters⟩. Emoji, and
 * what scripts need to be written, stay as they are.
 * @param before what was shown before the text
 */
export function spellHidden(text: string, before = ""): string {
  return HIDDEN.test(text) ? spellRuns(text, HIDDEN, before).text : text;
}

/** The same for a text that is to be edited: with control characters, and with the places, so that an edit can find them. */
export function spellForEditing(text: string): SpelledText {
  return WITH_CONTROLS.test(text) ? spellRuns(text, WITH_CONTROLS) : { text, places: [] };
}

/** A short run character by character, a long one as a whole. */
function namedPieces(run: string): readonly string[] {
  const characters = [...run];
  return characters.length > MAX_NAMED ? [run] : characters;
}

function nameOf(piece: string): string {
  const characters = [...piece];
  if (characters.length > 1) return `⟨${characters.length} hidden characters⟩`;
  return `⟨U+${piece.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Whether a run of hidden characters is a part of ordinary text. @param before what stands before it, the nearest last */
function isOrdinary(before: string, run: string, after: string): boolean {
  if (run.length > MAX_ORDINARY_CHARACTERS) return false;
  const line = before.slice(-CONTEXT_CHARACTERS);
  const place = `${line}\0${run}\0${after.slice(0, 2)}`;
  return ORDINARY.some((pattern) => pattern.test(place));
}

function spellRuns(text: string, pattern: RegExp, before = ""): SpelledText {
  const pieces: string[] = [];
  const places: SpelledPlace[] = [];
  let [end, length] = [0, 0];
  // As it is shown, since the shown text is judged alike when it is spelled again.
  let context = before;
  const add = (piece: string): void => {
    pieces.push(piece);
    length += piece.length;
    context = (context + piece).slice(-CONTEXT_CHARACTERS);
  };
  for (const { 0: raw, index } of text.matchAll(new RegExp(pattern, "gu"))) {
    const line = context + text.slice(Math.max(end, index - CONTEXT_CHARACTERS), index);
    const next = index + raw.length;
    if (isOrdinary(line, raw, text.slice(next, next + 2))) continue;
    add(text.slice(end, index));
    for (const piece of namedPieces(raw)) {
      const shown = nameOf(piece);
      places.push({ at: length, shown, raw: piece });
      add(shown);
    }
    end = next;
  }
  add(text.slice(end));
  return { text: pieces.join(""), places };
}

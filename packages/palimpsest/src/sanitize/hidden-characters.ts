/**
 * Spells out hidden characters: as ⟨U+202E⟩, and in long runs as ⟨17 hidden characters⟩. Emoji, and characters that a script needs,
 * stay as they are.
 * @param before the shown text before this text
 */
export function spellHidden(text: string, before = ""): string {
  return HIDDEN.test(text) ? spellRuns(text, HIDDEN, before).text : text;
}

/** Spells out hidden and control characters, and returns their places, so that an edit of the text can find them. */
export function spellForEditing(text: string): SpelledText {
  return WITH_CONTROLS.test(text) ? spellRuns(text, WITH_CONTROLS) : { text, places: [] };
}

/** A text with its hidden characters spelled out, and their places. */
export interface SpelledText {
  readonly text: string;
  readonly places: readonly SpelledPlace[];
}

/** A place where the shown text differs from the raw text. */
export interface SpelledPlace {
  /** The position in the shown text. */
  readonly at: number;
  readonly shown: string;
  readonly raw: string;
}

/**
 * Characters that no screen shows: directions, joiners, tags, variation selectors, fillers. They can hide text from a person that
 * a model still reads. Unicode has the list (Default_Ignorable_Code_Point); annotation characters are invisible, too.
 */
export const HIDDEN: RegExp = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/u;
/** Control characters, except line ends and tabs. */
const CONTROL = "(?![\\n\\t]|\\r(?=\\n|$))\\p{Cc}";
const WITH_CONTROLS = new RegExp(`${HIDDEN.source}|${CONTROL}`, "u");

function spellRuns(text: string, pattern: RegExp, before = ""): SpelledText {
  const pieces: string[] = [];
  const places: SpelledPlace[] = [];
  let [end, length] = [0, 0];
  // The text as shown, so that spelling out the shown text again changes nothing.
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

/** The longest run whose characters are named one by one. A longer run is counted, because it may encode a hidden message. */
const MAX_NAMED = 4;

/** Splits a short run into characters, and keeps a long run whole. */
function namedPieces(run: string): readonly string[] {
  const characters = [...run];
  return characters.length > MAX_NAMED ? [run] : characters;
}

function nameOf(piece: string): string {
  const characters = [...piece];
  if (characters.length > 1) return `⟨${characters.length} hidden characters⟩`;
  return `⟨U+${piece.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** How many earlier characters of the line are searched for letters that are written from right to left. */
export const CONTEXT_CHARACTERS = 40;

/** The longest run in ordinary text: the flag of Scotland. */
const MAX_ORDINARY_CHARACTERS = 12;

/** Whether a run of hidden characters is a part of ordinary text. */
function isOrdinary(before: string, run: string, after: string): boolean {
  if (run.length > MAX_ORDINARY_CHARACTERS) return false;
  const line = before.slice(-CONTEXT_CHARACTERS);
  const place = `${line}\0${run}\0${after.slice(0, 2)}`;
  return ORDINARY.some((pattern) => pattern.test(place));
}

const PICTURE = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}";
/** Scripts that are written without invisible characters. */
const PLAIN_SCRIPTS = ["Latin", "Greek", "Cyrillic", "Han", "Hiragana", "Katakana", "Hangul"];
const plainLetter = PLAIN_SCRIPTS.map((name) => `\\p{Script=${name}}`).join("");
const RIGHT_TO_LEFT = ["Hebrew", "Arabic", "Syriac", "Thaana", "Nko"].map((name) => `\\p{Script=${name}}`).join("");

/** Invisible characters in ordinary text. Each pattern matches the text before, `\0`, the invisible run, `\0`, and the text after. */
const ORDINARY: readonly RegExp[] = [
  // Emoji: ❤️, 1️⃣, 👨‍👩‍👧, and the flags of England, Scotland and Wales.
  new RegExp(`[${PICTURE}]\\0[\\ufe0e\\ufe0f]\\0`, "u"),
  new RegExp(`[${PICTURE}]\\0\\ufe0f?\\u200d\\0[${PICTURE}]`, "u"),
  /[0-9#*]\0\ufe0f\0\u20e3/u,
  /\u{1f3f4}\0\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}\0/u,
  // Persian, the scripts of India, Thai: letters that join or do not join, and places where a word may be broken.
  new RegExp(`(?![${plainLetter}])[\\p{L}\\p{M}]\\0[\\u200b-\\u200d]\\0`, "u"),
  // Variants of ideographs in names, and of Mongolian letters.
  /\p{Unified_Ideograph}\0[\u{e0100}-\u{e010f}\ufe00-\ufe02]\0/u,
  /\p{Script=Mongolian}\0[\u180b-\u180f]\0/u,
  /\p{L}\0\u00ad\0\p{L}/u,
  // Hebrew and Arabic beside other text.
  new RegExp(`[${RIGHT_TO_LEFT}][^\\n\\0]*\\0[\\u200e\\u200f\\u061c]\\0`, "u"),
  new RegExp(`\\0[\\u200e\\u200f\\u061c]\\0[${RIGHT_TO_LEFT}]`, "u"),
  // The mark at the beginning of a file.
  /^\0\ufeff\0/u,
];

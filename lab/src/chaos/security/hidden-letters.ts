/** What makes text look like other text, or hides in it, by name. */
export const HIDDEN_LETTERS: readonly [name: string, text: string][] = [
  ["an override of direction", "\u202e"],
  ["an embedding of direction", "\u202b"],
  ["an isolate of direction", "\u2067"],
  ["a mark of direction", "\u200f"],
  ["an Arabic mark", "\u061c"],
  ["a space without width", "\u200b"],
  ["a word joiner", "\u2060"],
  ["invisible times", "\u2062"],
  ["invisible plus", "\u2064"],
  ["a byte order mark", "\ufeff"],
  ["a tag", "\u{e0041}"],
  ["a variation selector of the supplement", "\u{e0101}"],
  ["an escape", "\u001b[8m"],
  ["an escape of one byte", "\u009b8m"],
  ["a title", "\u001b]0;x\u0007"],
  ["a backspace", "\b"],
  ["a carriage return", "a\rb"],
  ["a NUL", "\0"],
];

/** Letters that are spelled out where a person judges, and are of no use to a terminal. */
export const LOOK_ALIKES: readonly [name: string, text: string][] = [
  ["a soft hyphen", "\u00ad"],
  ["a space that is none", "\u00a0"],
  ["an em space", "\u2003"],
  ["a Hangul filler", "\u3164"],
  ["a blank of braille", "\u2800"],
  ["a Mongolian separator", "\u180e"],
  ["a variation selector", "x\ufe0f"],
  ["a line separator", "\u2028"],
  ["half of a letter", "\ud83d"],
];

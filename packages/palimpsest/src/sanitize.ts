/** `palimpsest/sanitize`: makes text from outside safe to show to people and models. */

export { type SpelledPlace, type SpelledText, spellForEditing } from "./sanitize/hidden-characters.ts";
export { sanitize, sanitizeAll } from "./sanitize/sanitize.ts";
export { sanitizeStream } from "./sanitize/stream.ts";

// Cuts texts without breaking characters or lines, and formats numbers.

/** Returns the beginning of a text, up to this length. Never cuts a surrogate pair. */
export function headOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = isHighSurrogate(text.charCodeAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return text.slice(0, Math.max(0, end));
}

/** Returns the end of a text, up to this length. Never cuts a surrogate pair. */
export function tailOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const start = text.length - Math.max(0, maxCharacters);
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The end gets more room: errors and their causes are there. */
const HEAD_SHARE = 0.4;

/** Returns head and tail of a text that exceeds a limit, with a note about the part left out between them. */
export function shortenText(text: string, maxCharacters: number, leftOut: (characters: number) => string): string {
  if (text.length <= maxCharacters) return text;
  const head = endAtLine(headOf(text, Math.floor(maxCharacters * HEAD_SHARE)));
  const tail = beginAtLine(tailOf(text, maxCharacters - head.length));
  const left = text.length - head.length - tail.length;
  return [head.replace(/\n$/, ""), leftOut(left), tail].filter((part) => part !== "").join("\n");
}

/** Shortens a text that was cut at its end to the end of a line, if one is near. */
export function endAtLine(head: string): string {
  const end = head.lastIndexOf("\n") + 1;
  return end > head.length * (1 - LINE_END_SHARE) ? head.slice(0, end) : head;
}

/** Shortens a text that was cut at its beginning to the beginning of a line, if one is near. */
export function beginAtLine(tail: string): string {
  const start = tail.indexOf("\n") + 1;
  return start < tail.length * LINE_END_SHARE ? tail.slice(start) : tail;
}

/** The maximum share of a cut text to remove, so that it begins or ends at a line. */
const LINE_END_SHARE = 0.25;

/** Formats a whole number with commas between groups of three digits. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

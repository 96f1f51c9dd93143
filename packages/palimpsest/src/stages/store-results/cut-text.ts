/** How much of a cut may be given up to end at a line's end. */
const LINE_END_SHARE = 0.25;

/** The beginning of a text, at most so long. Never half of a surrogate pair. */
export function headOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = isHighSurrogate(text.charCodeAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return text.slice(0, Math.max(0, end));
}

/** The end of a text, at most so long. Never half of a surrogate pair. */
export function tailOf(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const start = text.length - Math.max(0, maxCharacters);
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

/** What was cut at its end, up to the end of a line where one is near. */
export function endAtLine(head: string): string {
  const end = head.lastIndexOf("\n") + 1;
  return end > head.length * (1 - LINE_END_SHARE) ? head.slice(0, end) : head;
}

/** What was cut at its beginning, from the beginning of a line where one is near. */
export function beginAtLine(tail: string): string {
  const start = tail.indexOf("\n") + 1;
  return start < tail.length * LINE_END_SHARE ? tail.slice(start) : tail;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

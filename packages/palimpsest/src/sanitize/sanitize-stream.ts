import { CONTEXT_CHARACTERS, HIDDEN, spellHidden } from "./hidden-characters.ts";
import { createEscapeFilter } from "./stream.ts";

interface Sanitizer {
  push(chunk: Uint8Array | string): string;
  end(): string;
}

/** A longer run is told in several pieces, so that nobody can make us keep all of it. */
const MAX_HELD_CHARACTERS = 4_096;

/** `sanitize` for output as it comes: where it is cut into chunks makes no difference. */
export async function* sanitizeStream(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const sanitizer = createSanitizer();
  for await (const chunk of chunks) {
    const text = sanitizer.push(chunk);
    if (text !== "") yield text;
  }
  const rest = sanitizer.end();
  if (rest !== "") yield rest;
}

export function createSanitizer(): Sanitizer {
  const filter = createEscapeFilter();
  let before = "";
  let held = "";
  return {
    push(chunk) {
      const whole = held + filter.push(chunk);
      held = whole.slice(waitingFrom(whole));
      if (held.length > MAX_HELD_CHARACTERS) held = "";
      return take(whole.slice(0, whole.length - held.length));
    },
    end: () => take(held + filter.end()),
  };

  function take(text: string): string {
    const shown = spellHidden(text.toWellFormed(), before);
    before = (before + shown).slice(-CONTEXT_CHARACTERS);
    return shown;
  }
}

/** Hidden characters at the end, and half a character, wait for the one after them. */
function waitingFrom(text: string): number {
  let at = text.length;
  if (isHighSurrogate(text.charCodeAt(at - 1))) at--;
  while (at > 0 && text.length - at <= MAX_HELD_CHARACTERS) {
    const start = isHighSurrogate(text.charCodeAt(at - 2)) ? at - 2 : at - 1;
    if (!HIDDEN.test(text.slice(start, at))) break;
    at = start;
  }
  return at;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

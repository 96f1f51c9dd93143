// Sanitizes output while it arrives: removes escape sequences, and spells out hidden characters. Chunk borders do not matter.

import { CONTEXT_CHARACTERS, HIDDEN, spellHidden } from "./hidden-characters.ts";

/** Does the work of `sanitize` for a stream. The result does not depend on the borders of the chunks. */
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
  let waiting = "";
  return {
    push(chunk) {
      const whole = waiting + filter.push(chunk);
      waiting = whole.slice(waitingFrom(whole));
      if (waiting.length > MAX_WAITING_CHARACTERS) waiting = "";
      return take(whole.slice(0, whole.length - waiting.length));
    },
    end: () => take(waiting + filter.end()),
  };

  function take(text: string): string {
    const shown = spellHidden(text.toWellFormed(), before);
    before = (before + shown).slice(-CONTEXT_CHARACTERS);
    return shown;
  }
}

interface Sanitizer {
  push(chunk: Uint8Array | string): string;
  end(): string;
}

/** The maximum length of a run of hidden characters that waits in memory. A longer run is spelled out in several pieces. */
const MAX_WAITING_CHARACTERS = 4_096;

/** Returns where the end of a text begins that must wait for the next chunk: hidden characters, or half a character. */
function waitingFrom(text: string): number {
  let at = text.length;
  if (isHighSurrogate(text.charCodeAt(at - 1))) at--;
  while (at > 0 && text.length - at <= MAX_WAITING_CHARACTERS) {
    const start = isHighSurrogate(text.charCodeAt(at - 2)) ? at - 2 : at - 1;
    if (!HIDDEN.test(text.slice(start, at))) break;
    at = start;
  }
  return at;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/**
 * Removes escape sequences (colors, titles, clipboard, links) and control characters, even across chunks. A lone carriage return
 * becomes a line break.
 */
export function createEscapeFilter(): EscapeFilter {
  const decoder = new TextDecoder();
  const special = new RegExp(SPECIAL, "gu");
  let state: State = "text";
  let afterReturn = false;

  function take(text: string): string {
    let plain = "";
    for (let at = 0; at < text.length; ) {
      if (state === "text") {
        // Plain text is copied as a whole: a loop over characters was measured to be ten times slower.
        special.lastIndex = at;
        const end = special.exec(text)?.index ?? text.length;
        plain += afterBreak(text.slice(at, end));
        at = end;
        if (at === text.length) break;
      }
      const code = text.codePointAt(at)!;
      at += code > 0xffff ? 2 : 1;
      if (state !== "text") {
        state = next(state, code);
        // A line break ends an unfinished sequence: otherwise one byte could hide the rest of the output.
        if (code === LINE_FEED) plain += afterBreak("\n");
      } else if (code === ESCAPE) state = "escape";
      else if (code === SEQUENCE) state = "sequence";
      else if (STRINGS.includes(code)) state = "string";
      else if (code === RETURN) plain += afterBreak("\r");
    }
    return plain;
  }
  /** A carriage return waits for the next character, since a line feed after it belongs to the same line break. */
  function afterBreak(text: string): string {
    if (text === "") return "";
    const lineBreak = afterReturn && !text.startsWith("\n") ? "\n" : "";
    afterReturn = text === "\r";
    return afterReturn ? lineBreak : lineBreak + text;
  }
  return {
    push: (chunk) => take(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })),
    end: () => take(decoder.decode()),
  };
}

interface EscapeFilter {
  push(chunk: Uint8Array | string): string;
  /** The first half of a character that was split between chunks. */
  end(): string;
}

type State = "text" | "escape" | "sequence" | "string" | "string-escape";

/** Matches control characters. Most output has none but line breaks. */
const SPECIAL = /[^\P{Cc}\n\t]/u;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const ESCAPE = 0x1b;
const SEQUENCE = 0x9b;
/** Escape sequences that last until a terminator, as one byte or as the letter after ESC: DCS, SOS, OSC, PM, APC. */
const STRINGS = [0x90, 0x98, 0x9d, 0x9e, 0x9f];
const STRING_LETTERS = "PX]^_";

function next(state: Exclude<State, "text">, code: number): State {
  if (code === LINE_FEED) return "text";
  const character = String.fromCodePoint(code);
  switch (state) {
    case "escape":
      if (character === "[") return "sequence";
      if (STRING_LETTERS.includes(character)) return "string";
      // After an intermediate character, one more follows.
      return code >= 0x20 && code <= 0x2f ? "escape" : code === ESCAPE ? "escape" : "text";
    case "sequence":
      if (code === ESCAPE) return "escape";
      return code >= 0x40 && code <= 0x7e ? "text" : "sequence";
    case "string":
      if (code === 0x07 || code === 0x9c) return "text";
      return code === ESCAPE ? "string-escape" : "string";
    case "string-escape":
      return character === "\\" ? "text" : next("escape", code);
  }
}

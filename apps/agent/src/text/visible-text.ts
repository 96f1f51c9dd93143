// Makes hidden characters visible, and text safe for the screen.
import { sanitize } from "palimpsest/sanitize";
import type { Line, Look, Span } from "./line.ts";

const TAB = "    ";

/**
 * Characters that a screen does not show, or that make text look like other text: control characters, directions,
 * zero-width characters, variation selectors, tags, and unusual spaces. Unicode defines the ignorable characters.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]/u;
/** Emoji contain some of the hidden characters. Unicode lists all emoji, so emoji cannot hide text. */
const PIECES = new RegExp(`\\p{RGI_Emoji}|[\\u{e0020}-\\u{e007e}]+|${HIDDEN.source}`, "gv");
const NAMES: Readonly<Record<string, string>> = { "\u001b": "ESC", "\r": "CR", "\0": "NUL", "\u007f": "DEL" };
const TAG_BASE = 0xe0000;
/** Far longer than any indentation. Text after so many spaces would appear to be on another row. */
const BLANKS = / {60,}/g;
const MARK = /⟨[^⟨⟩]*⟩/g;

/** Spells out every invisible character, as in ⟨U+202E⟩, for text that a person reviews. */
export function visibleText(text: string): string {
  const spaced = text.replaceAll("\t", TAB).replaceAll(BLANKS, (found) => `⟨${found.length} spaces⟩`);
  if (!HIDDEN.test(spaced.replaceAll("\n", ""))) return spaced;
  return spaced.replaceAll(PIECES, (found) => (found === "\n" ? found : spellOut(found)));
}

/** One line of visible text, with the spellOut-out characters highlighted. */
export function visibleLine(text: string, look: Look = {}): Line {
  return markHidden([{ text: visibleText(text).replaceAll("\n", "⟨LF⟩"), ...look }]);
}

/** Highlights the spellOut-out characters of visible text. */
export function markHidden(line: Line): Line {
  return line.flatMap((span): readonly Span[] => {
    const marks = [...span.text.matchAll(MARK)];
    if (marks.length === 0) return span.text === "" ? [] : [span];
    let end = 0;
    const pieces = marks.flatMap((mark): readonly Span[] => {
      const before = { ...span, text: span.text.slice(end, mark.index) };
      end = mark.index + mark[0].length;
      return [before, { text: mark[0], color: "warning", mark: "inverse" }];
    });
    return [...pieces, { ...span, text: span.text.slice(end) }].filter(({ text }) => text !== "");
  });
}

function spellOut(found: string): string {
  const code = found.codePointAt(0)!;
  // Tags are invisible copies of ASCII characters. They are shown as ASCII.
  if (code >= TAG_BASE + 0x20 && code < TAG_BASE + 0x7f) {
    const hiddenText = [...found].map((tag) => String.fromCodePoint(tag.codePointAt(0)! - TAG_BASE)).join("");
    return `⟨hidden: ${hiddenText.replaceAll(/[⟨⟩]/g, "")}⟩`;
  }
  if (!HIDDEN.test(found) || isEmoji(found)) return found;
  return `⟨${NAMES[found] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}⟩`;
}

function isEmoji(found: string): boolean {
  return [...found].length > 1;
}

/** Makes text safe for the screen: sanitizes it and expands tabs. */
export function cleanText(text: string): string {
  return sanitize(text).replaceAll("\t", TAB);
}

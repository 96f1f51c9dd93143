import { sanitize } from "palimpsest/sanitize";
import type { Line, Look, Span } from "./line.ts";

const TAB = "    ";

/**
 * Letters that a screen does not show, or that make text look like other text: control characters, directions, letters without
 * a width, variation selectors, tags, and spaces that are none. Unicode keeps the list of what is ignorable.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]/u;
/** Emoji are put together with some of those letters. Unicode lists them all, so nothing can be hidden in them. */
const PIECES = new RegExp(`\\p{RGI_Emoji}|[\\u{e0020}-\\u{e007e}]+|${HIDDEN.source}`, "gv");
const NAMES: Readonly<Record<string, string>> = { "\u001b": "ESC", "\r": "CR", "\0": "NUL", "\u007f": "DEL" };
const TAG_BASE = 0xe0000;
/** Far more than any indentation: text behind so many would be looked for on another row. */
const BLANKS = / {60,}/g;
const MARK = /⟨[^⟨⟩]*⟩/g;

/** Text with everything in it that cannot be seen spelled out, as in ⟨U+202E⟩. For what a person has to judge. */
export function visibleText(text: string): string {
  const spaced = text.replaceAll("\t", TAB).replaceAll(BLANKS, (found) => `⟨${found.length} spaces⟩`);
  if (!HIDDEN.test(spaced.replaceAll("\n", ""))) return spaced;
  return spaced.replaceAll(PIECES, (found) => (found === "\n" ? found : spelled(found)));
}

/** One line of visible text. What was hidden stands out. */
export function visibleLine(text: string, look: Look = {}): Line {
  return markHidden([{ text: visibleText(text).replaceAll("\n", "⟨LF⟩"), ...look }]);
}

/** The same line; what visibleText has spelled out in it stands out. */
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

function spelled(found: string): string {
  const code = found.codePointAt(0)!;
  // Tags are letters of ASCII that nobody sees: they are shown as what they say.
  if (code >= TAG_BASE + 0x20 && code < TAG_BASE + 0x7f) {
    const said = [...found].map((tag) => String.fromCodePoint(tag.codePointAt(0)! - TAG_BASE)).join("");
    return `⟨hidden: ${said.replaceAll(/[⟨⟩]/g, "")}⟩`;
  }
  if (!HIDDEN.test(found) || isEmoji(found)) return found;
  return `⟨${NAMES[found] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}⟩`;
}

function isEmoji(found: string): boolean {
  return [...found].length > 1;
}

/** Makes text safe for the screen: as it passes the gate, with tabs as spaces. */
export function cleanText(text: string): string {
  return sanitize(text).replaceAll("\t", TAB);
}

import { highlight } from "./highlight.ts";
import { type Line, type Look, plain, type Span } from "./line.ts";

/** The state after the lines so far. */
export interface MarkdownState {
  /** The language of the open code block, possibly "". */
  readonly code?: string;
}

export const MARKDOWN_START: MarkdownState = {};

export interface MarkdownLine {
  /** The prefix of the first row, and of further rows. */
  readonly lead: Line;
  readonly hang: Line;
  readonly line: Line;
  readonly state: MarkdownState;
}

/** Renders markdown line by line, so that a streamed answer never has to be drawn again. */
export function markdownLine(text: string, { code }: MarkdownState): MarkdownLine {
  const fence = /^\s*(?:```|~~~)\s*([\w+#.-]*)/.exec(text);
  if (fence !== null) {
    const state: MarkdownState = code === undefined ? { code: fence[1] ?? "" } : {};
    const edge = code === undefined ? `┌ ${fence[1]}`.trimEnd() : "└";
    return { lead: [], hang: [], line: plain(edge, { color: "quiet" }), state };
  }
  if (code !== undefined) {
    const bar = plain("│ ", { color: "quiet" });
    return { lead: bar, hang: bar, line: highlight(text, code), state: { code } };
  }
  const heading = /^(#{1,6})\s+(.*)$/.exec(text);
  if (heading !== null) return only(inline(heading[2]!, { weight: "bold" }));
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(text)) return only(plain("─".repeat(20), { color: "quiet" }));
  const bullet = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(text);
  if (bullet !== null) {
    const [, before = "", sign = "", rest = ""] = bullet;
    const shown = /\d/.test(sign) ? sign : "•";
    return {
      ...only(inline(rest)),
      lead: plain(`${before}${shown} `),
      hang: plain(" ".repeat(before.length + shown.length + 1)),
    };
  }
  const quote = /^\s*>\s?(.*)$/.exec(text);
  if (quote !== null) {
    const bar = plain("▌ ", { color: "quiet" });
    return { ...only(inline(quote[1]!, { slant: "italic" })), lead: bar, hang: bar };
  }
  return only(inline(text));
}

function only(line: Line): MarkdownLine {
  return { lead: [], hang: [], line, state: {} };
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|__([^_]+)__|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)|\[([^\]]+)\]\(([^)\s]+)\)/g;

function inline(text: string, look: Look = {}): Line {
  const spans: Span[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > at) spans.push({ text: text.slice(at, found.index), ...look });
    at = found.index + found[0].length;
    const [, code, bold, strong, italic, link, address] = found;
    if (code !== undefined) spans.push({ text: code, ...look, color: "code" });
    else if (italic !== undefined) spans.push({ text: italic, ...look, slant: "italic" });
    else if (link !== undefined) {
      spans.push({ text: link, ...look, mark: "underline" }, { text: ` (${address})`, ...look, color: "quiet" });
    } else spans.push({ text: bold ?? strong ?? "", ...look, weight: "bold" });
  }
  if (at < text.length) spans.push({ text: text.slice(at), ...look });
  return spans;
}

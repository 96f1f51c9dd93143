import { compile } from "html-to-text";
import { htmlToText } from "palimpsest-agent";
import Turndown from "turndown";
import type { Figures } from "../bench.ts";
import { AWKWARD_PAGES, type AwkwardPage, HOSTILE_PIECES } from "./awkward-pages.ts";

/** Deep enough to end a recursion, and short enough for a parser that takes the square of it. */
const HOSTILE_REPEATS = 5_000;
const PAGE_REPEATS = 50;

type ToText = (html: string) => string;

const WAYS: Readonly<Record<string, ToText>> = {
  ours: htmlToText,
  html_to_text: compile({ wordwrap: false, selectors: [{ selector: "table", format: "dataTable" }] }),
  turndown: (html) => turndown.turndown(html),
};
const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
turndown.remove(["script", "style", "noscript", "head"]);

/** How many awkward pages are read as meant, how many hostile ones are survived, and the time for a long one. Quickly: ours alone. */
export function compareHtml(size: "quick" | "full"): Figures {
  const long = AWKWARD_PAGES.map(({ html }) => html)
    .join("\n")
    .repeat(PAGE_REPEATS);
  const ways = Object.entries(WAYS).filter(([name]) => size === "full" || name === "ours");
  const compared = ways.map(([name, toText]) => {
    const before = performance.now();
    toText(long);
    const longPageMs = Number((performance.now() - before).toFixed(1));
    const survived = HOSTILE_PIECES.filter((piece) => attempt(toText, piece.repeat(HOSTILE_REPEATS)) !== undefined);
    const read = AWKWARD_PAGES.filter((page) => isRead(page, attempt(toText, page.html) ?? ""));
    return [name, { read: read.length, hostile_survived: survived.length, long_page_ms: longPageMs }];
  });
  return { pages: AWKWARD_PAGES.length, hostile: HOSTILE_PIECES.length, ...Object.fromEntries(compared) };
}

function isRead({ has, hasNot = [] }: AwkwardPage, text: string): boolean {
  let at = 0;
  for (const part of has) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !hasNot.some((part) => text.includes(part));
}

function attempt(toText: ToText, html: string): string | undefined {
  try {
    return toText(html);
  } catch {
    return undefined;
  }
}

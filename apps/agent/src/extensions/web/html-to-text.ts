import { Parser } from "htmlparser2";

/** Elements without readable content. */
const UNREAD: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "svg", "iframe", "object"]);
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "p div section article header footer main nav aside ul ol table pre blockquote h1 h2 h3 h4 h5 h6 form dl dt dd figure hr " +
    "title body"
  ).split(" "),
);
const LINES: ReadonlySet<string> = new Set(["li", "tr", "br"]);
const MAX_TARGET_CHARACTERS = 500;
/**
 * The deepest nesting that is read. The parser's time is quadratic in the depth, and normal pages have at most a few
 * hundred levels.
 */
const MAX_DEPTH = 5_000;
const TOO_DEEP = "[The rest of the page is left out: its elements are nested too deeply.]";

/**
 * Converts a page to readable text: blocks on separate lines, marked headings and list items, links with their target,
 * unchanged code. htmlparser2 builds no tree, so deep nesting causes no error.
 */
export function htmlToText(html: string): string {
  const flow = createTextFlow();
  let depth = 0;
  let unread = 0;
  let preformatted = 0;
  let target: string | undefined;

  function open(name: string, { href }: Readonly<Record<string, string>>): void {
    depth++;
    if (depth > MAX_DEPTH) parser.pause();
    if (UNREAD.has(name)) unread++;
    if (unread > 0) return;
    separate(name);
    if (name === "pre") preformatted++;
    else if (name === "li") flow.write("- ");
    else if ((name === "td" || name === "th") && !flow.isAtLineStart()) flow.write(" | ");
    else if (/^h[1-6]$/.test(name)) flow.write(`${"#".repeat(Number(name[1]))} `);
    else if (name === "a") target = shownTarget(href);
  }

  function close(name: string): void {
    depth--;
    if (UNREAD.has(name)) unread = Math.max(0, unread - 1);
    if (unread > 0) return;
    if (name === "pre") preformatted = Math.max(0, preformatted - 1);
    if (name === "a" && target !== undefined) {
      flow.write(` (${target})`);
      target = undefined;
    }
    if (name !== "br") separate(name);
  }

  function separate(name: string): void {
    if (BLOCKS.has(name)) flow.breakLines(2);
    else if (LINES.has(name)) flow.breakLines(1);
  }

  const parser = new Parser({
    onopentag: open,
    onclosetag: close,
    ontext(text) {
      if (unread > 0) return;
      if (preformatted > 0) flow.write(text);
      else flow.writeWords(text);
    },
  });
  parser.write(html);
  if (depth > MAX_DEPTH) {
    flow.breakLines(2);
    flow.write(TOO_DEEP);
  } else parser.end();
  return flow.text().toWellFormed();
}

/** The target of a link. Undefined for links within the page and invalid addresses. */
function shownTarget(href: string | undefined): string | undefined {
  const target = href?.trim() ?? "";
  const isShown = target !== "" && !/^(#|javascript:|data:)/i.test(target) && target.length <= MAX_TARGET_CHARACTERS;
  return isShown ? target.replaceAll(/\s+/g, "") : undefined;
}

/** Builds text like a browser: collapses spaces, removes spaces at line starts, and merges line breaks. */
interface TextFlow {
  /** Adds text with collapsed spaces. */
  writeWords(text: string): void;
  /** Adds text unchanged. */
  write(text: string): void;
  /** Starts a new line or a new paragraph, except at the beginning. */
  breakLines(lines: 1 | 2): void;
  isAtLineStart(): boolean;
  text(): string;
}

function createTextFlow(): TextFlow {
  const pieces: string[] = [];
  /** The number of line breaks at the end of the text. */
  let ends = 2;
  let isSpaceDue = false;

  function write(text: string): void {
    if (text === "") return;
    pieces.push(text);
    isSpaceDue = false;
    const behind = /\n{0,2}$/.exec(text.slice(-2))![0].length;
    ends = behind === text.length ? Math.min(2, ends + behind) : behind;
  }

  return {
    write,
    writeWords(text) {
      const words = text.replaceAll(/\s+/g, " ");
      const [isSpaceBefore, isSpaceBehind] = [words.startsWith(" "), words.endsWith(" ")];
      const inner = words.trim();
      if (inner !== "") write(`${(isSpaceDue || isSpaceBefore) && ends === 0 ? " " : ""}${inner}`);
      isSpaceDue = inner === "" ? isSpaceDue || isSpaceBefore : isSpaceBehind;
    },
    breakLines(lines) {
      isSpaceDue = false;
      if (pieces.length > 0 && ends < lines) write("\n".repeat(lines - ends));
    },
    isAtLineStart: () => ends > 0,
    text: () => pieces.join("").trimEnd(),
  };
}

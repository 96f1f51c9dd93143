import { lazyPattern } from "../../log/search-text.ts";
import { beginAtLine, endAtLine, headOf, tailOf } from "../../text.ts";

/** `full`: the whole conversation. `from`: everything after a chosen message. `up_to`: everything before it. */
export type SummaryVariant = "full" | "from" | "up_to";

export interface SummarySection {
  readonly number: number;
  readonly title: string;
  /** The prompt's description of the section. */
  readonly asks: string;
}

/** `section`: absent or cut off. `path`: the summary names it, but the log does not contain it. */
export type Missing =
  | { readonly kind: "section"; readonly number: number }
  | { readonly kind: "path"; readonly path: string };

export const SECTION_COUNT = 9;
/** The least number of sections that makes a summary worth repairing. */
export const MAX_SECTIONS = 5;

const COMMON: readonly SummarySection[] = [
  {
    number: 1,
    title: "Primary request and intent",
    asks: "What the user wants to have in the end, and why, with every condition they have set.",
  },
  {
    number: 2,
    title: "Key technical concepts",
    asks: "The technologies, terms, conventions and design decisions one has to know to go on.",
  },
  {
    number: 3,
    title: "Files and code sections",
    asks: "Each file that was looked at, changed or created, by its exact path: what was done to it, why it matters, and the lines of code that count, copied exactly.",
  },
  {
    number: 4,
    title: "Errors and fixes",
    asks: "Each error with its exact message, what cured it, what did not, and what the user said about it.",
  },
  {
    number: 5,
    title: "Problem solving",
    asks: "What has been found out, which ways were given up and for what reason, what is still unclear.",
  },
  {
    number: 6,
    title: "User corrections and insistence",
    asks: "Only what the user corrected, forbade or insisted on. Their messages themselves are kept elsewhere word for word: do not copy them out.",
  },
  {
    number: 7,
    title: "Pending tasks",
    asks: "What the user has explicitly asked for and is not done yet. What is done is not named here.",
  },
];

const CURRENT: readonly SummarySection[] = [
  {
    number: 8,
    title: "Current work",
    asks: "Precisely what was going on at the very end: the step, the files, the last command and what came of it.",
  },
  {
    number: 9,
    title: "Optional next step",
    asks: 'The one step that follows from the latest requests, with direct quotes of the newest messages that show where the work stood. If the last task is finished, or the user has not asked for more: "None".',
  },
];

const COMPLETED: readonly SummarySection[] = [
  {
    number: 8,
    title: "Work completed",
    asks: "What had been brought to an end by the last of these messages, and how it was checked.",
  },
  {
    number: 9,
    title: "Context for continuing work",
    asks: "What a reader must know to understand the messages that follow: decisions in force, state of files, names in use.",
  },
];

/** Returns the nine sections of a summary. */
export function summarySections(variant: SummaryVariant): readonly SummarySection[] {
  return [...COMMON, ...(variant === "up_to" ? COMPLETED : CURRENT)];
}

/** The non-empty sections of a summary; a heading without text does not count. */
interface Sections {
  /** The text before the first section. */
  readonly opening: string;
  /** Each with its heading line, in the order of their numbers. */
  readonly byNumber: ReadonlyMap<number, string>;
}

interface Heading {
  readonly at: number;
  readonly number: number;
  /** Hashes or stars before the heading; empty if there are none. */
  readonly mark: string;
}

/** `## 4. Errors`, `**4. Errors**`, `4) Errors`, `4、错误`: found by number, because titles are in the user's language. */
const NUMBERED = /^ {0,3}(#{1,6}[ \t]*|\*\*|__)?(?:section[ \t]+)?([1-9])(?:[.):：、．]|[ \t]+[-–—])[ \t]*(?=\S)/i;
const saysSomething = lazyPattern(String.raw`[\p{L}\p{N}]`, "u");
const UNNUMBERED = /^ {0,3}(#{1,6}[ \t]*|\*\*|__)([^\d#*_].*)$/;

/** Numbers by title, for headings without a number. */
const NUMBER_BY_TITLE: ReadonlyMap<string, number> = new Map(
  [...summarySections("full"), ...summarySections("up_to")].map(({ number, title }) => [title.toLowerCase(), number]),
);

export function readSections(text: string): Sections {
  const lines = text.split("\n");
  const headings = findHeadings(lines);
  const byNumber = new Map<number, string>();
  headings.forEach(({ at, number, mark }, index) => {
    const whole = lines
      .slice(at, headings[index + 1]?.at)
      .join("\n")
      .trimEnd();
    if (!isBare(whole, mark)) byNumber.set(number, whole);
  });
  const opening = lines.slice(0, headings[0]?.at).join("\n").trim();
  return { opening, byNumber: new Map([...byNumber].sort(([a], [b]) => a - b)) };
}

export function missingSections({ byNumber }: Sections): readonly number[] {
  return Array.from({ length: SECTION_COUNT }, (_, index) => index + 1).filter((number) => !byNumber.has(number));
}

/**
 * Finds the section headings. Lists and headings inside a section have numbers too, so only headings with one mark
 * count: the first mark that occurs twice, because the outermost comes first. If no mark occurs twice, all headings
 * count. Numbers must rise.
 */
function findHeadings(lines: readonly string[]): readonly Heading[] {
  const all = outsideFences(lines).flatMap((at) => toHeading(lines[at]!, at));
  const marks = [...new Set(all.map(({ mark }) => mark))].filter((mark) => mark !== "");
  const marked = marks.map((mark) => rising(all.filter((heading) => heading.mark === mark)));
  return marked.find(({ length }) => length >= 2) ?? rising(all);
}

function rising(headings: readonly Heading[]): readonly Heading[] {
  const counted: Heading[] = [];
  for (const heading of headings) if (heading.number > (counted.at(-1)?.number ?? 0)) counted.push(heading);
  return counted;
}

function toHeading(line: string, at: number): Heading[] {
  const numbered = NUMBERED.exec(line);
  if (numbered !== null) return [{ at, number: Number(numbered[2]), mark: (numbered[1] ?? "").trim() }];
  const [, mark = "", title = ""] = UNNUMBERED.exec(line) ?? [];
  const number = NUMBER_BY_TITLE.get(titleOf(title));
  return number === undefined ? [] : [{ at, number, mark: mark.trim() }];
}

/** Returns the numbers of lines outside code blocks. An unclosed block does not count as one. */
function outsideFences(lines: readonly string[]): readonly number[] {
  const fences = lines.flatMap((line, at) => (/^\s*(?:```|~~~)/.test(line) ? [at] : []));
  const outside: number[] = [];
  for (let at = 0, passed = 0; at < lines.length; at++) {
    while (passed < fences.length && fences[passed]! < at) passed++;
    const opened = passed % 2 === 1 && passed < fences.length;
    if (!opened && fences[passed] !== at) outside.push(at);
  }
  return outside;
}

/** Whether a section has only a title, with no text after a colon or below. */
function isBare(section: string, mark: string): boolean {
  const [heading = "", ...below] = section.split("\n");
  const words = titleOf(heading.replace(NUMBERED, ""));
  // A plain line may be the whole section: "4. None".
  if (mark === "" && !NUMBER_BY_TITLE.has(words)) return false;
  const behindColon = words.split(/[:：]/).slice(1).join(":");
  return !saysSomething().test(behindColon) && !saysSomething().test(below.join("\n"));
}

function titleOf(words: string): string {
  return words.replace(/[*_:：\s]+$/, "").toLowerCase();
}

/** Matches possible file paths that do not begin inside a word or a URL. */
const possiblePath = lazyPattern(
  String.raw`(?<![\p{L}\p{N}_@:/\\.~-])(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])?(?:[\p{L}\p{N}_.@+-]+[\\/])*[\p{L}\p{N}_.@+-]*[\p{L}\p{N}_]`,
  "gu",
);
const ROOTED = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])/;
const ENDING = /[^\\/.]\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const PART_OF_PATTERN = /[*{}<>$…]/;

interface NamedPath {
  readonly path: string;
  readonly at: number;
}

/**
 * Returns the paths in a text with their positions: paths from a root, or with folders and an extension. Bare names
 * ("index.ts", "node.js") are left out, because too much other text looks like them; so are URLs, patterns and words
 * joined by a slash.
 */
export function namedPaths(text: string): readonly NamedPath[] {
  return Array.from(text.matchAll(possiblePath())).flatMap(({ 0: path, index: at }) => {
    const strokes = path.match(/[\\/]/g)?.length ?? 0;
    const around = (text[at - 1] ?? "") + (text[at + path.length] ?? "");
    const isPath = strokes > 0 && (ENDING.test(path) || (ROOTED.test(path) && strokes > 1));
    return isPath && !PART_OF_PATTERN.test(around) ? [{ path, at }] : [];
  });
}

/** Renames paths in a text. Works from the end, so that earlier positions stay valid. */
export function renamePaths(text: string, rename: (path: string) => string): string {
  return namedPaths(text).reduceRight(
    (renamed, { path, at }) => renamed.slice(0, at) + rename(path) + renamed.slice(at + path.length),
    text,
  );
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

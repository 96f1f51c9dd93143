import { lazyPattern } from "../../log/lazy-pattern.ts";
import { SECTION_COUNT, summarySections } from "../../stages/compact/summary/sections.ts";

/** The non-empty sections of a summary; a heading without text does not count. */
export interface Sections {
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

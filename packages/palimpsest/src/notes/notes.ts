import { headingKey, italicIn, type NotesTemplate, sectionHead, type TemplateSection } from "./template.ts";

/** What is known about a session: the sections of the template, in its order, each with its content. */
export interface Notes {
  readonly sections: readonly NotesSection[];
}

export interface NotesSection extends TemplateSection {
  /** Empty if nothing is known yet. Without blank lines at either end. */
  readonly content: string;
}

export function emptyNotes(template: NotesTemplate): Notes {
  return { sections: template.map((section) => ({ ...section, content: "" })) };
}

/** Still the template, with nothing in it. */
export function isBare({ sections }: Notes): boolean {
  return sections.every(({ content }) => content === "");
}

export function notesMarkdown({ sections }: Notes): string {
  const keys = keysOf(sections);
  return sections
    .map((section) => {
      const content = section.content === "" ? "" : `\n${escapeHeadings(section.content, keys)}\n`;
      return `${sectionHead(section)}\n${content}`;
    })
    .join("\n");
}

/**
 * Notes as they were written. The template says what is structure: what stands under a heading that it does not have
 * (it was another one then) stays as content of the section before, so nothing is lost.
 */
export function parseNotes(markdown: string, template: NotesTemplate): Notes {
  const keys = keysOf(template);
  const contents = new Map<string, string[]>();
  let current: string[] = [];
  // Before the first heading: content of the first section.
  contents.set(headingKey(template[0]?.heading ?? ""), current);
  let isBehindHeading = false;
  for (const line of markdown.split(/\r?\n/)) {
    const key = structureKey(line, keys);
    if (key !== undefined) {
      current = contents.get(key) ?? [];
      contents.set(key, current);
      isBehindHeading = true;
      continue;
    }
    if (!(isBehindHeading && italicIn(line) !== undefined)) current.push(unescapeHeading(line, keys));
    isBehindHeading = false;
  }
  return {
    sections: template.map((section) => ({
      ...section,
      content: tidy((contents.get(headingKey(section.heading)) ?? []).join("\n")),
    })),
  };
}

/** As content is kept: line ends of one sort, no blank lines at either end, no half characters. */
export function tidy(content: string): string {
  return content
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/^(?:[^\S\n]*\n)+/, "")
    .trimEnd();
}

function keysOf(sections: readonly TemplateSection[]): ReadonlySet<string> {
  return new Set(sections.map(({ heading }) => headingKey(heading)));
}

/** Which section begins here, if one does. */
function structureKey(line: string, keys: ReadonlySet<string>): string | undefined {
  const key = /^#{1,6}[ \t]/.test(line) ? headingKey(line) : undefined;
  return key !== undefined && keys.has(key) ? key : undefined;
}

const ESCAPED = /^\\+(?=#{1,6}[ \t])/;

/** A line of the content that reads like a heading of the template (a comment in a script, say) is marked with a backslash. */
function escapeHeadings(content: string, keys: ReadonlySet<string>): string {
  return content
    .split("\n")
    .map((line) => (structureKey(line.replace(ESCAPED, ""), keys) === undefined ? line : `\\${line}`))
    .join("\n");
}

function unescapeHeading(line: string, keys: ReadonlySet<string>): string {
  return ESCAPED.test(line) && structureKey(line.replace(ESCAPED, ""), keys) !== undefined ? line.slice(1) : line;
}

type FoundSection =
  | { readonly kind: "exact" | "damaged"; readonly section: NotesSection }
  | { readonly kind: "unknown" };

/**
 * The section that is meant by a heading as a model wrote it. Numbers, marks and case do not matter. A heading that is
 * misspelled, cut short or goes on is found if one section is meant, and only one.
 */
export function findSection(written: string, sections: readonly NotesSection[]): FoundSection {
  const key = headingKey(written);
  const exact = sections.find(({ heading }) => headingKey(heading) === key);
  if (exact !== undefined) return { kind: "exact", section: exact };
  const words = key.replace(/^\d+ /, "");
  const like = sections.filter(({ heading }) => isLike(words, headingKey(heading)));
  return like.length === 1 ? { kind: "damaged", section: like[0]! } : { kind: "unknown" };
}

function isLike(written: string, key: string): boolean {
  if (written === "") return false;
  if (`${key} `.startsWith(`${written} `) || `${written} `.startsWith(`${key} `)) return true;
  return distance(written, key) <= Math.max(1, Math.floor(key.length / 6));
}

/** How many letters are to be put in, left out or exchanged to make one of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column++) {
      const exchanged = row[column - 1]! + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(exchanged, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}

export type CountTokens = (text: string) => number;

export interface NotesLimits {
  /** Of one section's content. Over it, the next update is told to condense that section. @default 2_000 */
  readonly sectionTokens: number;
  /** Of all contents. Over it, the next update is told to shorten everything hard. @default 12_000 */
  readonly totalTokens: number;
}

export const NOTES_LIMITS: NotesLimits = { sectionTokens: 2_000, totalTokens: 12_000 };

interface NotesSize {
  readonly totalTokens: number;
  readonly whole: "within" | "over";
  /** Those over the limit of a section, in their order. */
  readonly oversized: readonly { readonly heading: string; readonly tokens: number }[];
}

/** What the notes hold, against what they may. Headings and their lines are not counted: nobody can shorten them. */
export function sizeOfNotes({ sections }: Notes, limits: NotesLimits, countTokens: CountTokens): NotesSize {
  const sizes = sections.map(({ heading, content }) => ({ heading, tokens: countTokens(content) }));
  const totalTokens = sizes.reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    totalTokens,
    whole: totalTokens > limits.totalTokens ? "over" : "within",
    oversized: sizes.filter(({ tokens }) => tokens > limits.sectionTokens),
  };
}

interface SummaryOptions {
  /** Of one section's content, marker included. @default 2_000 */
  readonly sectionTokens?: number;
  /** The entry that holds the notes in full. */
  readonly notesEntry: number;
  /** Whether the model can read that entry. */
  readonly recall: "offered" | "missing";
  readonly countTokens: CountTokens;
}

/** The notes as the summary of a compaction: all headings, and of each section as much as it may have. */
export function notesSummary({ sections }: Notes, options: SummaryOptions): string {
  return sections.map((section) => `# ${section.heading}\n${contentFor(section, options)}`).join("\n");
}

function contentFor(
  { content }: NotesSection,
  { sectionTokens = NOTES_LIMITS.sectionTokens, notesEntry, recall, countTokens }: SummaryOptions,
): string {
  if (content === "") return "";
  const tokens = countTokens(content);
  if (tokens <= sectionTokens) return `${content}\n`;
  const where = recall === "offered" ? ` Recall entry ${notesEntry} to read the notes in full.` : "";
  const marker = `[... cut: this section has ${tokens} tokens.${where} ...]`;
  const roomTokens = Math.max(0, sectionTokens - countTokens(`\n${marker}\n`));
  // What comes first is said first because it matters; what comes last is the newest. The middle is what can be missed.
  const head = endAtLine(longestWithin(content, roomTokens / 2, countTokens, (length) => content.slice(0, length)));
  const tail = beginAtLine(
    longestWithin(content, roomTokens / 2, countTokens, (length) => content.slice(content.length - length)),
  );
  return `${[head.trimEnd(), marker, tail.trimStart()].filter((part) => part !== "").join("\n")}\n`;
}

/** The longest piece that has at most so many tokens, by halving: more text never has fewer tokens, or not by much. */
function longestWithin(
  text: string,
  tokens: number,
  countTokens: CountTokens,
  piece: (length: number) => string,
): string {
  let [fits, tooLong] = [0, text.length + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (countTokens(piece(middle)) <= tokens) fits = middle;
    else tooLong = middle;
  }
  return withoutHalves(piece(fits));
}

/** A cut may go through a character of two units: the half that is left is no text. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

/** Up to the end of a line, unless that gives up more than half. */
function endAtLine(head: string): string {
  const end = head.lastIndexOf("\n");
  return end > head.length / 2 ? head.slice(0, end) : head;
}

function beginAtLine(tail: string): string {
  const start = tail.indexOf("\n") + 1;
  return start < tail.length / 2 ? tail.slice(start) : tail;
}

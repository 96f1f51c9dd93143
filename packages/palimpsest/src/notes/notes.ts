// Parses and writes notes, measures them, and turns them into a summary.

import { headingKey, italicIn, type NotesTemplate, sectionHead, type TemplateSection } from "./template.ts";

export const NOTES_LIMITS: NotesLimits = { sectionTokens: 2_000, totalTokens: 12_000 };
const ESCAPED = /^\\+(?=#{1,6}[ \t])/;

/** The notes of a session: the sections of the template, in its order, each with its content. */
export interface Notes {
  readonly sections: readonly NotesSection[];
}

export interface NotesSection extends TemplateSection {
  /** The text of the section, without blank lines at either end. Empty without notes. */
  readonly content: string;
}

export function emptyNotes(template: NotesTemplate): Notes {
  return { sections: template.map((section) => ({ ...section, content: "" })) };
}

/** Tells whether all sections are empty. */
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
 * Parses notes from markdown. Only headings of the template count as structure. Other headings, for example of an
 * earlier template, become content of the section before them, so nothing is lost.
 */
export function parseNotes(markdown: string, template: NotesTemplate): Notes {
  const keys = keysOf(template);
  const contents = new Map<string, string[]>();
  let current: string[] = [];
  // Text before the first heading is content of the first section.
  contents.set(headingKey(template[0]?.heading ?? ""), current);
  let isAfterHeading = false;
  for (const line of markdown.split(/\r?\n/)) {
    const key = structureKey(line, keys);
    if (key !== undefined) {
      current = contents.get(key) ?? [];
      contents.set(key, current);
      isAfterHeading = true;
      continue;
    }
    if (!(isAfterHeading && italicIn(line) !== undefined)) current.push(unescapeHeading(line, keys));
    isAfterHeading = false;
  }
  return {
    sections: template.map((section) => ({
      ...section,
      content: tidy((contents.get(headingKey(section.heading)) ?? []).join("\n")),
    })),
  };
}

/** Normalizes content: line ends become `\n`, and blank lines at either end and half characters are removed. */
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

/** Returns the key of the section that begins at this line. Undefined if none does. */
function structureKey(line: string, keys: ReadonlySet<string>): string | undefined {
  const key = /^#{1,6}[ \t]/.test(line) ? headingKey(line) : undefined;
  return key !== undefined && keys.has(key) ? key : undefined;
}

/**
 * Marks lines of the content with a backslash if they look like a heading of the template, for example a comment in a
 * script.
 */
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
 * Finds the section for a heading that a model wrote. Numbers, punctuation and case are ignored. A misspelled,
 * shortened or extended heading matches if it fits exactly one section.
 */
export function findSection(written: string, sections: readonly NotesSection[]): FoundSection {
  const key = headingKey(written);
  const exact = sections.find(({ heading }) => headingKey(heading) === key);
  if (exact !== undefined) return { kind: "exact", section: exact };
  const words = key.replace(/^\d+ /, "");
  const similar = sections.filter(({ heading }) => isSimilar(words, headingKey(heading)));
  return similar.length === 1 ? { kind: "damaged", section: similar[0]! } : { kind: "unknown" };
}

function isSimilar(written: string, key: string): boolean {
  if (written === "") return false;
  if (`${key} `.startsWith(`${written} `) || `${written} `.startsWith(`${key} `)) return true;
  return distance(written, key) <= Math.max(1, Math.floor(key.length / 6));
}

/** Returns the edit distance of two texts. */
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
  /** The limit for the content of one section. Above it, the next update has to condense the section. @default 2_000 */
  readonly sectionTokens: number;
  /**
   * The limit for the content of all sections. Above it, the next update has to shorten every section. @default 12_000
   */
  readonly totalTokens: number;
}

interface NotesSize {
  readonly totalTokens: number;
  readonly whole: "within" | "over";
  /** The sections over the limit of a section, in order. */
  readonly oversized: readonly { readonly heading: string; readonly tokens: number }[];
}

/**
 * Compares the size of the notes with the limits. Headings and the lines below them are not counted, because nobody can
 * shorten them.
 */
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
  /** The limit for the content of one section, including the marker. @default 2_000 */
  readonly sectionTokens?: number;
  /** The entry with the full notes. */
  readonly notesEntry: number;
  /** Whether the model can read that entry. */
  readonly recall: "offered" | "missing";
  readonly countTokens: CountTokens;
}

/** Turns the notes into the summary of a compaction: all headings, and each section up to the limit. */
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
  // Keep the beginning, which is usually the most important part, and the end, which is the newest. Cut the middle.
  const head = endAtLine(longestWithin(content, roomTokens / 2, countTokens, (length) => content.slice(0, length)));
  const tail = beginAtLine(
    longestWithin(content, roomTokens / 2, countTokens, (length) => content.slice(content.length - length)),
  );
  return `${[head.trimEnd(), marker, tail.trimStart()].filter((part) => part !== "").join("\n")}\n`;
}

/**
 * Finds the longest piece with at most this many tokens by binary search. It assumes that more text has more tokens, at
 * least approximately.
 */
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
  return withoutHalfCharacters(piece(fits));
}

/** Removes half characters, which a cut between two surrogates leaves at the ends. */
function withoutHalfCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

/** Cuts at the end of a line, unless this removes more than half. */
function endAtLine(head: string): string {
  const end = head.lastIndexOf("\n");
  return end > head.length / 2 ? head.slice(0, end) : head;
}

function beginAtLine(tail: string): string {
  const start = tail.indexOf("\n") + 1;
  return start < tail.length / 2 ? tail.slice(start) : tail;
}

import type { Notes, NotesSection } from "./notes.ts";

export type CountTokens = (text: string) => number;

export interface NotesLimits {
  /** Of one section's content. Over it, the next update is told to condense that section. @default 2_000 */
  readonly sectionTokens: number;
  /** Of all contents. Over it, the next update is told to shorten everything hard. @default 12_000 */
  readonly totalTokens: number;
}

export const NOTES_LIMITS: NotesLimits = { sectionTokens: 2_000, totalTokens: 12_000 };

export interface NotesSize {
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

export interface SummaryOptions {
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

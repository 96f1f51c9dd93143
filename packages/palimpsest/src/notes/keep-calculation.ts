import type { Item } from "../view/item.ts";
import { wholeFrom } from "../view/kept-together.ts";
import { type CountTokens, NOTES_LIMITS, notesSummary } from "./limits.ts";
import { isBare, type Notes } from "./notes.ts";

export interface NotesCompactionQuestion {
  readonly items: readonly Item[];
  readonly notes: Notes;
  /** The entry that holds the notes in full. */
  readonly notesEntry: number;
  /** Whether the model can read that entry. */
  readonly recall: "offered" | "missing";
  /** The last entry that the notes cover. */
  readonly coveredTo: number;
  /** The newest boundary in effect: what it has folded stays folded. */
  readonly newestBoundary?: number | undefined;
  /** Kept beyond what must be: so many tokens at least. @default 10_000 */
  readonly minimumTokens?: number;
  /** And so many messages with text at least. @default 5 */
  readonly minimumTextMessages?: number;
  /** But nothing is added to what must be kept that would make it more than this. @default 40_000 */
  readonly maximumTokens?: number;
  /** At this size compaction is due: a result that is not below it would be compacted again at once. */
  readonly thresholdTokens: number;
  /** What stands around summary and kept items: system prompt, tools, what is put back. @default 0 */
  readonly aroundTokens?: number;
  /** Of a section in the summary. @default 2_000 */
  readonly sectionTokens?: number;
  readonly tokensOf: (item: Item) => number;
  readonly countTokens: CountTokens;
}

export type NotesCompaction =
  | {
      readonly kind: "keep";
      /** The entry of the first message that is kept. */
      readonly from: number;
      /**
       * The entry of the last message that the summary replaces. A range that ends there, and not behind a seal that
       * follows it, still ends with what the notes cover: so the next compaction finds it in the view.
       */
      readonly foldedTo: number;
      readonly summary: string;
      readonly keptTokens: number;
      /** Of the view as it will be. */
      readonly resultTokens: number;
    }
  | { readonly kind: "declined"; readonly cause: DeclinedCause; readonly reason: string };

/** Why notes cannot stand for a conversation, in a word. */
export type DeclinedCause = "no-notes" | "not-in-view" | "overtaken" | "nothing-to-compact" | "too-large";

/** Compaction without a model: the notes are the summary, and what they do not cover is kept. */
export function planNotesCompaction(question: NotesCompactionQuestion): NotesCompaction {
  const { items, notes, notesEntry, recall, coveredTo, thresholdTokens, tokensOf, countTokens } = question;
  const { aroundTokens = 0, sectionTokens = NOTES_LIMITS.sectionTokens } = question;
  const declined = (cause: DeclinedCause, reason: string): NotesCompaction => ({ kind: "declined", cause, reason });
  if (isBare(notes)) return declined("no-notes", "there is nothing in the notes yet");
  const covered = items.findLastIndex(({ to }) => to === coveredTo);
  if (covered < 0)
    return declined("not-in-view", `entry ${coveredTo}, the last one that the notes cover, is not in the view`);

  const floor = firstBehindBoundary(question);
  if (covered + 1 < floor)
    return declined("overtaken", `the newest boundary has folded more than the notes cover (entry ${coveredTo})`);

  const cut = findCut(question, covered + 1, floor);
  const kept = items.slice(cut);
  const first = kept.find(({ kind }) => kind === "message");
  if (first === undefined) return declined("nothing-to-compact", "there would be nothing to keep");
  const last = items.slice(0, cut).findLast(({ kind }) => kind === "message");
  if (last === undefined) return declined("nothing-to-compact", "there is nothing to fold");

  const summary = notesSummary(notes, { notesEntry, recall, countTokens, sectionTokens });
  const keptTokens = sum(kept, tokensOf);
  const resultTokens = aroundTokens + countTokens(summary) + keptTokens;
  if (resultTokens >= thresholdTokens)
    return declined(
      "too-large",
      `${resultTokens} tokens would be left (${keptTokens} of them kept), and compaction is due at ${thresholdTokens}`,
    );
  return { kind: "keep", from: first.from, foldedTo: last.to, summary, keptTokens, resultTokens };
}

/** What the newest boundary has put in place of others is not kept: the notes take its place. */
function firstBehindBoundary({ items, newestBoundary }: NotesCompactionQuestion): number {
  if (newestBoundary === undefined) return 0;
  return items.findLastIndex((item) => item.kind === "message" && item.by === newestBoundary) + 1;
}

/** The index of the first item that is kept. Everything from `mustKeep` on is; more of what is covered, up to the minima. */
function findCut(question: NotesCompactionQuestion, mustKeep: number, floor: number): number {
  const { items, tokensOf } = question;
  const { minimumTokens = 10_000, minimumTextMessages = 5, maximumTokens = 40_000 } = question;
  let cut = mustKeep;
  let tokens = sum(items.slice(cut), tokensOf);
  let textMessages = items.slice(cut).filter(hasText).length;
  while (cut > floor && (tokens < minimumTokens || textMessages < minimumTextMessages)) {
    const next = items[cut - 1]!;
    if (tokens + tokensOf(next) > maximumTokens) break;
    cut--;
    tokens += tokensOf(next);
    if (hasText(next)) textMessages++;
  }
  return wholeFrom(items, cut, floor);
}

/** Words of the user or of the model; not results, and not what the host has put in. */
function hasText(item: Item): boolean {
  if (item.kind === "seal" || item.attachment !== undefined) return false;
  return item.blocks.some((block) => block.kind === "text" && block.text.trim() !== "");
}

function sum(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}

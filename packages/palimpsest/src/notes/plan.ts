// Plans compactions that use the notes in place of a summary.

import { wholeFrom } from "../view/kept-together.ts";
import type { Item } from "../view/view.ts";
import { type CountTokens, isBare, NOTES_LIMITS, type Notes, notesSummary } from "./notes.ts";

export interface NotesCompactionQuestion {
  readonly items: readonly Item[];
  readonly notes: Notes;
  /** The entry with the full notes. */
  readonly notesEntry: number;
  /** Whether the model can read that entry. */
  readonly recall: "offered" | "missing";
  /** The last entry that the notes cover. */
  readonly coveredTo: number;
  /** The newest boundary in effect. Its compacted content stays compacted. */
  readonly newestBoundary?: number | undefined;
  /** The minimum number of tokens to keep. @default 10_000 */
  readonly minimumTokens?: number;
  /** The minimum number of messages with text to keep. @default 5 */
  readonly minimumTextMessages?: number;
  /** Covered messages are not kept if the kept messages would exceed this size. @default 40_000 */
  readonly maximumTokens?: number;
  /** The size at which a compaction is due. The result must be smaller, or it would be compacted again at once. */
  readonly thresholdTokens: number;
  /**
   * The tokens of everything except the summary and the kept items: system prompt, tools, rehydrated content. @default
   * 0
   */
  readonly aroundTokens?: number;
  /** The limit for a section in the summary. @default 2_000 */
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
       * The entry of the last message that the summary replaces. The range ends here and not after the following seal,
       * so that it still ends with the covered entry and the next compaction finds that entry in the view.
       */
      readonly foldedTo: number;
      readonly summary: string;
      readonly keptTokens: number;
      /** The tokens of the view after the compaction. */
      readonly resultTokens: number;
    }
  | { readonly kind: "declined"; readonly cause: DeclinedCause; readonly reason: string };

/** The reason that the notes cannot replace the conversation. */
export type DeclinedCause = "no-notes" | "not-in-view" | "overtaken" | "nothing-to-compact" | "too-large";

/** Plans a compaction without a model: the notes are the summary, and messages that they do not cover are kept. */
export function planNotesCompaction(question: NotesCompactionQuestion): NotesCompaction {
  const { items, notes, notesEntry, recall, coveredTo, thresholdTokens, tokensOf, countTokens } = question;
  const { aroundTokens = 0, sectionTokens = NOTES_LIMITS.sectionTokens } = question;
  const declined = (cause: DeclinedCause, reason: string): NotesCompaction => ({ kind: "declined", cause, reason });
  if (isBare(notes)) return declined("no-notes", "the notes are empty");
  const covered = items.findLastIndex(({ to }) => to === coveredTo);
  if (covered < 0)
    return declined("not-in-view", `entry ${coveredTo}, the last one that the notes cover, is not in the view`);

  const floor = firstAfterBoundary(question);
  if (covered + 1 < floor)
    return declined(
      "overtaken",
      `the newest boundary covers more than the notes, which cover entries up to ${coveredTo}`,
    );

  const cut = findCut(question, covered + 1, floor);
  const kept = items.slice(cut);
  const first = kept.find(({ kind }) => kind === "message");
  if (first === undefined) return declined("nothing-to-compact", "no message would be kept");
  const last = items.slice(0, cut).findLast(({ kind }) => kind === "message");
  if (last === undefined) return declined("nothing-to-compact", "there are no messages to compact");

  const summary = notesSummary(notes, { notesEntry, recall, countTokens, sectionTokens });
  const keptTokens = sum(kept, tokensOf);
  const resultTokens = aroundTokens + countTokens(summary) + keptTokens;
  if (resultTokens >= thresholdTokens)
    return declined(
      "too-large",
      `${resultTokens} tokens would remain, ${keptTokens} of them in kept messages, and compaction is due at ${thresholdTokens}`,
    );
  return { kind: "keep", from: first.from, foldedTo: last.to, summary, keptTokens, resultTokens };
}

/**
 * Returns the index of the first item after the newest boundary's replacement. The replacement itself is not kept,
 * because the notes take its place.
 */
function firstAfterBoundary({ items, newestBoundary }: NotesCompactionQuestion): number {
  if (newestBoundary === undefined) return 0;
  return items.findLastIndex((item) => item.kind === "message" && item.by === newestBoundary) + 1;
}

/**
 * Returns the index of the first kept item. All items from `mustKeep` on are kept, and more covered items up to the
 * minimums.
 */
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

/** Tells whether an item has text from the user or the model, not only results or host content. */
function hasText(item: Item): boolean {
  if (item.kind === "seal" || item.attachment !== undefined) return false;
  return item.blocks.some((block) => block.kind === "text" && block.text.trim() !== "");
}

function sum(items: readonly Item[], tokensOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + tokensOf(item), 0);
}

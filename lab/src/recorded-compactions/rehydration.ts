import { contentsOf, type Touch, touchesOf } from "@palimpsest/observe/replay";
import { type Evidence, type PlannedFile, planFiles, rankFiles } from "palimpsest/inspect";
import type { RecordedBoundary } from "./boundaries.ts";
import { countTokens } from "./count-tokens.ts";

export interface Rehydration {
  /** Files of before that were read or edited after the compaction. */
  readonly neededFiles: number;
  /** By the rule "the most recently read", so many of them, each whole. */
  recent(files: number, totalTokens: number): readonly PlannedFile[];
  ours(totalTokens: number): readonly PlannedFile[];
  /** How many of the needed files are in a plan, with what they were needed for. */
  met(plan: readonly PlannedFile[]): number;
}

const PER_FILE_TOKENS = 5_000;
const NEWEST_TEXTS = 6;

export function rehydrationOf({ before, after }: RecordedBoundary, evidence: Evidence): Rehydration {
  const contents = contentsOf(before);
  // The first time that a file is needed; what it is needed for later, the agent has by then.
  const needed = new Map<string, Touch>();
  for (const touch of touchesOf(after)) {
    if (contents.has(touch.path) && !needed.has(touch.path)) needed.set(touch.path, touch);
  }
  const reads = touchesOf(before).filter(({ access }) => access === "read");
  const newestReads = [...new Set(reads.map(({ path }) => path).toReversed())];
  const newestTexts = before
    .filter(({ origin }) => origin === "human" || origin === "model")
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])))
    .slice(-NEWEST_TEXTS);
  const ranked = rankFiles(evidence, { newestTexts });
  const limits = { countTokens, perFileTokens: PER_FILE_TOKENS };
  return {
    neededFiles: needed.size,
    recent: (files, totalTokens) => {
      // All worth the same: they are taken in this order.
      const recent = newestReads.slice(0, files).map((path) => ({ path, entry: 0, score: 0 }));
      return planFiles(recent, contents, { ...limits, totalTokens });
    },
    ours: (totalTokens) => planFiles(ranked, contents, { ...limits, totalTokens }),
    met: (plan) => plan.filter((file) => isMet(needed.get(file.path), file, contents.get(file.path)!)).length,
  };
}

/** Of a file that was put back in parts: the text to be replaced stands in them, or most of the lines to be read. */
function isMet(touch: Touch | undefined, { parts, extent }: PlannedFile, content: string): boolean {
  if (touch === undefined || extent === "whole") return touch !== undefined;
  const { replaced } = touch;
  if (replaced !== undefined && content.includes(replaced)) return parts.some(({ text }) => text.includes(replaced));
  const [first, last] = touch.lines ?? [1, content.split("\n").length];
  const covered = parts.map(({ lines: [from, to] }) => Math.max(0, Math.min(to, last) - Math.max(from, first) + 1));
  return covered.reduce((sum, lines) => sum + lines, 0) >= (last - first + 1) / 2;
}

export function tokensOf(plan: readonly PlannedFile[]): number {
  return plan.reduce((sum, { tokens }) => sum + tokens, 0);
}

export function textOf(plan: readonly PlannedFile[]): string {
  return plan.map(({ path, parts }) => [path, ...parts.map(({ text }) => text)].join("\n")).join("\n");
}

import { type Evidence, type PlannedFile, planFiles, rankFiles } from "palimpsest";
import type { RecordedBoundary } from "./boundaries.ts";
import { countTokens } from "./count-tokens.ts";
import { contentsOf, type Touch, touchesOf } from "./known-files.ts";

/** Of the files of before that were read or edited after a compaction, how many were put back with what was needed. */
export interface RehydrationScore {
  readonly neededFiles: number;
  /** By the rule "the 5 most recently read". */
  readonly recent5: number;
  /** Ours, with the tokens that the rule took. */
  readonly ours: number;
  /** Ours, with the tokens that the rule may take: 5 files of 5,000. */
  readonly oursAtLimit: number;
}

const FILES = 5;
const LIMITS = { perFileTokens: 5_000, totalTokens: FILES * 5_000 } as const;
const NEWEST_MESSAGES = 6;

export function scoreRehydration({ before, after }: RecordedBoundary, evidence: Evidence): RehydrationScore {
  const contents = contentsOf(before);
  // The first time that a file is needed; what it is needed for later, the agent has by then.
  const needed = new Map<string, Touch>();
  for (const touch of touchesOf(after))
    if (contents.has(touch.path) && !needed.has(touch.path)) needed.set(touch.path, touch);

  const reads = touchesOf(before)
    .filter(({ access }) => access === "read")
    .map(({ path }) => path);
  const recent = [...new Set(reads.toReversed())].slice(0, FILES).map((path) => ({ path, entry: 0, score: 0 }));
  const recentPlan = planFiles(recent, contents, { ...LIMITS, countTokens });
  const totalTokens = recentPlan.reduce((sum, { tokens }) => sum + tokens, 0);

  const newestTexts = before
    .filter(({ origin }) => origin === "human" || origin === "model")
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])))
    .slice(-NEWEST_MESSAGES);
  const ranked = rankFiles(evidence, { newestTexts });
  const plan = planFiles(ranked, contents, { ...LIMITS, countTokens, totalTokens });
  const limitPlan = planFiles(ranked, contents, { ...LIMITS, countTokens });
  return {
    neededFiles: needed.size,
    recent5: metBy(recentPlan, needed, contents),
    ours: metBy(plan, needed, contents),
    oursAtLimit: metBy(limitPlan, needed, contents),
  };
}

function metBy(
  plan: readonly PlannedFile[],
  needed: ReadonlyMap<string, Touch>,
  contents: ReadonlyMap<string, string>,
): number {
  const byPath = new Map(plan.map((file) => [file.path, file]));
  return [...needed.values()].filter((touch) => {
    const file = byPath.get(touch.path);
    return file !== undefined && (file.extent === "whole" || hasWhat(touch, file, contents.get(touch.path)!));
  }).length;
}

/** Of a file that was put back in parts: the text to be replaced stands in them, or most of the lines to be read. */
function hasWhat({ replaced, lines }: Touch, { parts }: PlannedFile, content: string): boolean {
  if (replaced !== undefined && content.includes(replaced)) return parts.some(({ text }) => text.includes(replaced));
  const [first, last] = lines ?? [1, content.split("\n").length];
  const covered = parts.reduce(
    (sum, { lines: [from, to] }) => sum + Math.max(0, Math.min(to, last) - Math.max(from, first) + 1),
    0,
  );
  return covered >= (last - first + 1) / 2;
}

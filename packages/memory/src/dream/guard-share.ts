import type { BatchSummary } from "../batch.ts";

/** With so few topics any change is a large share, and easy to review. */
const FEW_TOPICS = 5;

/** Returns why a run needs the user's approval; undefined if it does not. */
export function guardShare({ topics, removed, rewritten }: BatchSummary, mostPercent: number): string | undefined {
  const touched = removed.length + rewritten.length;
  const percent = topics === 0 ? 0 : (100 * touched) / topics;
  const isMuch = topics <= FEW_TOPICS ? removed.length > topics / 2 : percent > mostPercent;
  if (!isMuch) return undefined;
  return `it takes away ${removed.length} and rewrites ${rewritten.length} of ${topics} topics (${Math.round(percent)}%); ${mostPercent}% go without asking`;
}

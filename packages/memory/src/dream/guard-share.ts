import type { BatchSummary } from "../batch.ts";

/** With so few topics any change is a large share of them, and easily looked at. */
const FEW_TOPICS = 5;

/** Why a run is not to be carried out without the user's yes; undefined if it may. */
export function guardShare({ topics, removed, rewritten }: BatchSummary, mostPercent: number): string | undefined {
  const touched = removed.length + rewritten.length;
  const percent = topics === 0 ? 0 : (100 * touched) / topics;
  const isMuch = topics <= FEW_TOPICS ? removed.length > topics / 2 : percent > mostPercent;
  if (!isMuch) return undefined;
  return `it takes away ${removed.length} and rewrites ${rewritten.length} of ${topics} topics (${Math.round(percent)}%); ${mostPercent}% go without asking`;
}

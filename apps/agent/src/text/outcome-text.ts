import type { CompactionOutcome } from "palimpsest";

/** What came of a compaction, in words. */
export function outcomeText(outcome: CompactionOutcome): string {
  if (outcome.kind === "aborted") return "Aborted. The session is as it was.";
  if (outcome.kind !== "compacted") return `Not compacted: ${outcome.why}`;
  const { tokensBefore, tokensAfter, rung, modelCalls, priceUsd } = outcome;
  const price = priceUsd === undefined ? "" : `, $${priceUsd.toFixed(4)}`;
  return `Compacted: ${tokensBefore} -> ${tokensAfter} tokens (by ${rung}, ${modelCalls} calls${price}). palimpsest undo takes it back.`;
}

import type { CompactionOutcome } from "palimpsest";
import { rungName } from "./plain-names.ts";

/** Says how a compaction ended, on the command line. */
export function outcomeText(outcome: CompactionOutcome): string {
  if (outcome.kind === "aborted") return "Stopped. The conversation is unchanged.";
  if (outcome.kind !== "compacted") return `Not compacted: ${outcome.why}`;
  const { tokensBefore, tokensAfter, rung, modelCalls, priceUsd } = outcome;
  const price = priceUsd === undefined ? "" : `, $${priceUsd.toFixed(4)}`;
  const [before, after] = [tokensBefore, tokensAfter].map((tokens) => tokens.toLocaleString("en-US"));
  return `Compacted: ${before} -> ${after} tokens (${rungName(rung)}, ${modelCalls} calls${price}). To undo it: palimpsest undo`;
}

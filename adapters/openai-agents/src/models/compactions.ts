import { asObject } from "palimpsest/core";
import { type CompactionData, compactionsIn } from "palimpsest/door-parts";

/** Reads the compactions that took place before a response: one of `result.rawResponses`. */
export function readCompactions(response: unknown): readonly CompactionData[] {
  return compactionsIn(asObject(response)?.["providerData"]);
}

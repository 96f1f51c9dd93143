import { type CompactionData, compactionsIn } from "palimpsest/adapter-parts";
import { asObject } from "palimpsest/schema";

/** Reads the compactions that took place before a response: one of `result.rawResponses`. */
export function readCompactions(response: unknown): readonly CompactionData[] {
  return compactionsIn(asObject(response)?.["providerData"]);
}

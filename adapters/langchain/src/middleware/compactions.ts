import { type CompactionData, compactionsIn } from "palimpsest/adapter-parts";
import { asObject } from "palimpsest/schema";

/** Reads the compactions that took place before an answer. `message`: an AI message, live or as it was stored. */
export function readCompactions(message: unknown): readonly CompactionData[] {
  const { data, response_metadata: metadata } = asObject(message) ?? {};
  return compactionsIn(metadata ?? asObject(data)?.["response_metadata"]);
}

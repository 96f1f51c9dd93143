// Reads compactions from the metadata of an answer.

import { type CompactionData, compactionsIn } from "palimpsest/adapter-parts";
import { asObject } from "palimpsest/schema";

/** Reads the compactions that happened before an answer. @param message an AI message, as an object or as stored data */
export function readCompactions(message: unknown): readonly CompactionData[] {
  const { data, response_metadata: metadata } = asObject(message) ?? {};
  return compactionsIn(metadata ?? asObject(data)?.["response_metadata"]);
}

// Reads compactions from the data of a response.

import { type CompactionData, compactionsIn } from "palimpsest/adapter-parts";
import { asObject } from "palimpsest/schema";

/** Reads the compactions that happened before a response. @param response one of `result.rawResponses` */
export function readCompactions(response: unknown): readonly CompactionData[] {
  return compactionsIn(asObject(response)?.["providerData"]);
}

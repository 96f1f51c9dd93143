// Writes and reads the part of an answer that reports a compaction.

import type { LanguageModelV4CustomContent } from "@ai-sdk/provider";
import { asCompactionData, type CompactionData } from "palimpsest/adapter-parts";
import { asObject } from "palimpsest/schema";

/** Creates the part of an answer that reports a compaction. */
export function toCompactionPart(data: CompactionData): LanguageModelV4CustomContent {
  return { type: "custom", kind: KIND, providerMetadata: { palimpsest: { ...data, summary: { ...data.summary } } } };
}

const KIND = "palimpsest.compaction";

/**
 * Reads the compaction from a part of `message.parts` (in a user interface) or of `result.content`. Undefined for any other
 * part.
 */
export function readCompaction(part: unknown): CompactionData | undefined {
  const { type, kind, providerMetadata, providerOptions } = asObject(part) ?? {};
  if (type !== "custom" || kind !== KIND) return undefined;
  return asCompactionData(asObject(providerMetadata ?? providerOptions)?.["palimpsest"]);
}

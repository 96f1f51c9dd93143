import type { LanguageModelV4CustomContent } from "@ai-sdk/provider";
import { asCompactionData, type CompactionData } from "palimpsest/adapter-parts";
import { asObject } from "palimpsest/schema";

const KIND = "palimpsest.compaction";

/** The part of an answer that shows a compaction. */
export function toCompactionPart(data: CompactionData): LanguageModelV4CustomContent {
  return { type: "custom", kind: KIND, providerMetadata: { palimpsest: { ...data } } };
}

/**
 * Reads the compaction that a part of a message shows: of `message.parts` in a user interface, of `result.content` elsewhere.
 * Undefined if the part shows none.
 */
export function readCompaction(part: unknown): CompactionData | undefined {
  const { type, kind, providerMetadata, providerOptions } = asObject(part) ?? {};
  if (type !== "custom" || kind !== KIND) return undefined;
  return asCompactionData(asObject(providerMetadata ?? providerOptions)?.["palimpsest"]);
}

import type { LanguageModelV4CustomContent } from "@ai-sdk/provider";
import type { SessionEvent } from "palimpsest";
import { asObject, asString } from "palimpsest/core";

const KIND = "palimpsest.compaction";

/** A compaction, for a user interface. */
export interface CompactionData {
  readonly session: string;
  /** Why: `window` (it was full), `economy` (it saves money), and others. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the model sees in place of the compacted messages. */
  readonly summary: string;
}

/** The part of an answer that shows a compaction; undefined for any other event. */
export function toCompactionPart(event: SessionEvent): LanguageModelV4CustomContent | undefined {
  if (event.kind !== "compaction-ended" || event.outcome.kind !== "compacted") return undefined;
  const { tokensBefore, tokensAfter, summary } = event.outcome;
  const data = { session: event.session, reason: event.reason, tokensBefore, tokensAfter, summary };
  return { type: "custom", kind: KIND, providerMetadata: { palimpsest: data } };
}

/**
 * Reads the compaction that a part of a message shows: of `message.parts` in a user interface, of `result.content` elsewhere.
 * Undefined if the part shows none.
 */
export function readCompaction(part: unknown): CompactionData | undefined {
  const { type, kind, providerMetadata, providerOptions } = asObject(part) ?? {};
  if (type !== "custom" || kind !== KIND) return undefined;
  const data = asObject(asObject(providerMetadata ?? providerOptions)?.["palimpsest"]);
  return asString(data?.["summary"]) === undefined ? undefined : (data as unknown as CompactionData);
}

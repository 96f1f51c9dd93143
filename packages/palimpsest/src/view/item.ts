import type { Block } from "../log/block.ts";
import type { CacheTtl, MessagePayload, StoredContent } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import type { RequestedEdits } from "../log/provider-edits.ts";
import { addFeatures, type FeatureOptions, type Features, featuresOf, NO_FEATURES } from "../tokens/features.ts";
import { inItsVoice } from "./voice.ts";

/** One element of the view. */
export type Item = MessageItem | Seal;

/** The content of one or more entries, as the model sees it. */
export interface MessageItem {
  readonly kind: "message";
  /** The entries that this item stands for: one, or the range that a decision replaced. */
  readonly from: number;
  readonly to: number;
  /** The decision that placed this item; absent if the entry is shown as it was appended. */
  readonly by?: number;
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  readonly origin: MessagePayload["origin"];
  /** Where its text comes from; an attachment always names it. @default as its `origin` says */
  readonly provenance?: Provenance;
  /** The attachment's type, if the item is an attachment. */
  readonly attachment?: string;
  readonly responseId?: string;
  readonly answers?: number;
  /** The response that this item is part of. */
  readonly provider?: string;
  /** The place of the full content, if the item is a preview. */
  readonly stored?: StoredContent;
  readonly stop?: "paused";
  /**
   * `lost`: something before this item has changed since, so the thinking cannot be sent back where it is bound to its place.
   */
  readonly thinking: "intact" | "lost";
  /** The content that the size is estimated from. It is kept here because call ids are not always unique. */
  readonly features: Features;
}

/** The end of a request. Everything before it has been sent, and is always flattened in the same way. */
export interface Seal extends RequestedEdits {
  readonly kind: "seal";
  readonly from: number;
  readonly to: number;
  readonly maxTokens: number;
  readonly previousResponseId?: string;
  /** @default "5m" */
  readonly cacheTtl?: CacheTtl;
  /** @default that of the request */
  readonly headTtl?: "1h";
}

type Shown = Omit<MessageItem, "kind" | "thinking" | "features"> & Partial<Pick<MessageItem, "thinking">>;

export function toItem({ thinking = "intact", ...shown }: Shown, options?: FeatureOptions): MessageItem {
  return { ...shown, kind: "message", thinking, features: sumOfFeatures(sentBlocks(shown), options) };
}

/** The blocks with their marks, which are sent and counted, too. */
function sentBlocks(shown: Shown): readonly Block[] {
  const isMarked = shown.role === "user" && (shown.provenance ?? shown.blocks.some(hasProvenance)) !== false;
  if (!isMarked) return shown.blocks;
  return shown.blocks.map((block) => (block.kind === "text" ? inItsVoice(block, shown) : block));
}

function hasProvenance(block: Block): boolean {
  return block.kind === "text" && block.provenance !== undefined;
}

export function sumOfFeatures(blocks: readonly Block[], options?: FeatureOptions): Features {
  return blocks.reduce((sum, block) => addFeatures(sum, featuresOf(block, options)), NO_FEATURES);
}

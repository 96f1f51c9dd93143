import type { Block } from "../log/block.ts";
import type { CacheTtl, MessagePayload, StoredContent } from "../log/payload.ts";
import type { RequestedEdits } from "../log/provider-edits.ts";
import { addFeatures, type FeatureOptions, type Features, featuresOf, NO_FEATURES } from "../tokens/features.ts";

/** One element of the view. */
export type Item = MessageItem | Seal;

/** What the model sees of one or more entries. */
export interface MessageItem {
  readonly kind: "message";
  /** The entries it stands for: one, or the range that a decision has replaced. */
  readonly from: number;
  readonly to: number;
  /** The decision that put it here; absent if it is shown as it was appended. */
  readonly by?: number;
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  readonly origin: MessagePayload["origin"];
  /** The type of attachment, if it is one. */
  readonly attachment?: string;
  readonly responseId?: string;
  readonly answers?: number;
  /** Whose response it is. */
  readonly provider?: string;
  /** Where it is in full, if what is shown is a preview. */
  readonly stored?: StoredContent;
  readonly stop?: "paused";
  /** `lost`: something before it has changed since, so it cannot be sent back where thinking is bound. */
  readonly thinking: "intact" | "lost";
  /** What its size is estimated from; kept here because ids of calls are not unique everywhere. */
  readonly features: Features;
}

/** Where a request ended: what stands before it has been sent, and is flattened in the same way for ever. */
export interface Seal extends RequestedEdits {
  readonly kind: "seal";
  readonly from: number;
  readonly to: number;
  readonly maxTokens: number;
  readonly previousResponseId?: string;
  /** @default "5m" */
  readonly cacheTtl?: CacheTtl;
}

type Shown = Omit<MessageItem, "kind" | "thinking" | "features"> & Partial<Pick<MessageItem, "thinking">>;

export function toItem({ thinking = "intact", ...shown }: Shown, options?: FeatureOptions): MessageItem {
  return { ...shown, kind: "message", thinking, features: sumOfFeatures(shown.blocks, options) };
}

export function sumOfFeatures(blocks: readonly Block[], options?: FeatureOptions): Features {
  return blocks.reduce((sum, block) => addFeatures(sum, featuresOf(block, options)), NO_FEATURES);
}

import type { Block } from "../log/block.ts";
import type { CacheTtl, MessagePayload, Shown, StoredContent, ToolDefinition } from "../log/payload.ts";
import type { DeletedResult, ProviderEdits, RequestedEdits } from "../log/payload-compaction.ts";
import type { Provenance } from "../log/provenance.ts";
import { type Calibration, estimateTokens, padTokens } from "../size/calibration.ts";
import { addFeatures, type FeatureOptions, type Features, featuresOf, NO_FEATURES } from "../size/features.ts";
import { inItsVoice } from "./texts.ts";

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

type ShownMessage = Omit<MessageItem, "kind" | "thinking" | "features"> & Partial<Pick<MessageItem, "thinking">>;

export function toItem({ thinking = "intact", ...shown }: ShownMessage, options?: FeatureOptions): MessageItem {
  return { ...shown, kind: "message", thinking, features: sumOfFeatures(sentBlocks(shown), options) };
}

/** The blocks with their marks, which are sent and counted, too. */
function sentBlocks(shown: ShownMessage): readonly Block[] {
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

/**
 * The content that the model sees now, with the state that the engine keeps about it: a fold over the log, updated entry by
 * entry. Only `foldEntry` changes it.
 */
export interface View {
  /** Items in the order in which they are shown, which is the order of their entries. */
  readonly items: Item[];
  /** How texts are counted. */
  readonly featureOptions: FeatureOptions;
  /** How many items, from the front, have not changed since this was last set to the number of all items. */
  unchangedItems: number;
  configuration: Configuration | undefined;
  calibration: Calibration;
  anchor: Anchor | undefined;
  /** The part of the view that the anchor does not cover. */
  since: Features;
  /** Ranges that are not shown at all. */
  hidden: readonly Shown[];
  /** The newest entry that changed something before the end of the view. */
  changedAt: number;
  /** Entry numbers that no range of shown entries spans: something before them is on another branch or hidden. */
  breaks: readonly number[];
  /** The request that the next report describes, unless something before it has changed. */
  awaited: Awaited | undefined;
  /** The results that the newest request asked the provider to leave out, since the newest boundary. */
  edits: ProviderEdits | undefined;
  /** The results that the provider left out of the newest reported request; cleared by a boundary. */
  leftOut: LeftOut | undefined;
  /** The results that the newest request deleted from the cached prompt, and their size by the newest report. */
  deleted: readonly DeletedResult[];
  deletedTokens: number;
}

/** The current configuration that is sent beside the messages. */
export interface Configuration {
  /** The entry of the configuration, and the entries that hold its large parts. */
  readonly entry: number;
  readonly systemHeldBy: number;
  readonly toolsHeldBy: number;
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Present if another agent had it, in a session that was imported. */
  readonly provenance?: Provenance;
  readonly features: Features;
}

/** The provider's newest report. */
export interface Anchor {
  readonly request: number;
  readonly responseId: string;
  /** Input and output of that response, corrected by the estimated effect of later decisions. */
  readonly tokens: number;
  /** The reported input among them; absent after a refusal. */
  readonly inputTokens?: number;
  /** Whether the view still begins with the reported request: only then does the next report calibrate. */
  readonly prefix: "same" | "changed";
}

interface Awaited {
  readonly request: number;
  /** The part that the anchor did not cover when the request was made. */
  readonly since: Features;
  readonly edits?: ProviderEdits;
}

/** Items that are in the view and were not part of the prompt. */
export interface LeftOut {
  /** The number of oldest results left out, among tools whose results are not kept. */
  readonly results: number;
  readonly keptTools: readonly string[];
  readonly tokens: number;
  /** `caller`: the caller's parameters ask for it, independent of the engine. */
  readonly askedBy: "engine" | "caller";
}

export function createView(calibration: Calibration, featureOptions: FeatureOptions = {}): View {
  return {
    items: [],
    featureOptions,
    unchangedItems: 0,
    configuration: undefined,
    calibration,
    anchor: undefined,
    since: NO_FEATURES,
    awaited: undefined,
    hidden: [],
    changedAt: 0,
    breaks: [],
    edits: undefined,
    leftOut: undefined,
    deleted: [],
    deletedTokens: 0,
  };
}

/** The newest request that is still part of the view. */
export function newestSeal({ items }: View): Seal | undefined {
  return items.findLast((item) => item.kind === "seal");
}

/** Returns the size of the view in tokens: the reported size plus a padded estimate of the rest. */
export function sizeTokens(view: View): number {
  const estimated = estimateTokens(view.calibration, view.since);
  return (view.anchor?.tokens ?? 0) + padTokens(view.calibration, estimated);
}

/** Returns the likeliest size, without the pad. Do not compare it with a limit. */
export function expectedTokens({ calibration, since, anchor }: View): number {
  return (anchor?.tokens ?? 0) + estimateTokens(calibration, since);
}

/** Returns the tokens that come back into the prompt if a request does not ask to leave them out again. */
export function returningTokens({ leftOut, deletedTokens }: View, { edits, deleted }: RequestedEdits): number {
  const leftOutTokens = edits === undefined && leftOut?.askedBy === "engine" ? leftOut.tokens : 0;
  return leftOutTokens + (deleted === undefined ? deletedTokens : 0);
}

/** The structure of a view, as a compaction boundary stores it: runs of entries, and decisions that stand for others. */
export function outline({ items, breaks, hidden }: View): Shown[] {
  const runs: Shown[] = [];
  const sorted = breaks.toSorted((a, b) => a - b);
  let passed = 0;
  for (const item of items) {
    const { from, to } = item;
    const by = item.kind === "message" ? item.by : undefined;
    const lost = item.kind === "message" && item.thinking === "lost";
    const last = runs.at(-1);
    // Several items that one decision placed together are read from it together.
    if (last !== undefined && by !== undefined && last.by === by && last.from === from) continue;
    const sameSort = last !== undefined && last.by === undefined && by === undefined;
    const sameThinking = item.kind === "seal" || (last?.thinking === "lost") === lost;
    // The first break after the last run.
    while (last !== undefined && passed < sorted.length && sorted[passed]! <= last.to) passed++;
    const together = sameSort && sameThinking && !(sorted[passed] !== undefined && sorted[passed]! <= from);
    if (together) runs[runs.length - 1] = { ...last, to };
    else runs.push({ from, to, ...(by === undefined ? {} : { by }), ...(lost ? { thinking: "lost" } : {}) });
  }
  return [...runs, ...hidden].sort((a, b) => a.from - b.from);
}

/** Returns the newest entry up to which two views of one log are equal; 0 if they differ from the first item on. */
export function sharedTo({ items: left }: View, { items: right }: View): number {
  let shared = 0;
  for (const [index, item] of left.entries()) {
    if (!isSame(item, right[index])) break;
    shared = item.to;
  }
  return shared;
}

function isSame(left: Item, right: Item | undefined): boolean {
  if (right === undefined || left.kind !== right.kind || left.from !== right.from || left.to !== right.to) return false;
  if (left.kind === "seal" || right.kind === "seal") return true;
  return left.by === right.by && left.thinking === right.thinking;
}

/** Whether the model is still at work: the newest item is a tool result, not a message of the user. */
export function isTurnOpen({ items }: View): boolean {
  const last = items.findLast((item) => item.kind === "message" && item.attachment === undefined);
  return last?.kind === "message" && last.origin === "tool";
}

/**
 * One message, ready to be rendered. It keeps these rules for any log: roles alternate, the first message is the user's, the
 * next message answers every call, ids are unique and safe, no text is empty, strings are well-formed, and no block is signed
 * by another provider.
 */
export interface FlatMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  /** The message calls or answers `tool_search`, and the model takes deferred tools in its provider's own form. @default it does not */
  readonly toolSearch?: "native";
}

// The view: the items that the model sees now, with their size. `fold.ts` builds it from the log.

import type { Block } from "../log/block.ts";
import type { CacheTtl, MessagePayload, Shown, StoredContent, ToolDefinition } from "../log/payload.ts";
import type { DeletedResult, ProviderEdits, RequestedEdits } from "../log/payload-compaction.ts";
import type { Provenance } from "../log/provenance.ts";
import {
  addFeatures,
  type Calibration,
  estimateTokens,
  type FeatureOptions,
  type Features,
  featuresOf,
  missedTokens,
  NO_FEATURES,
  padTokens,
} from "../size/calibration.ts";
import { textAsSent } from "./texts.ts";

/**
 * The content that the model sees now, with the state that the engine keeps about it: a fold over the log. Only `foldEntry` changes
 * a view.
 */
export interface View {
  /** Items in the order in which they are shown, which is the order of their entries. */
  readonly items: Item[];
  /** How texts are counted. */
  readonly featureOptions: FeatureOptions;
  /** The number of items at the front that have not changed since the flattener last set this field. */
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
  /** The request that the next report describes; undefined if earlier content has changed since. */
  awaited: Awaited | undefined;
  /** The results that the newest request asked the provider to leave out, since the newest boundary. */
  edits: ProviderEdits | undefined;
  /** The results that the provider left out of the newest reported request; cleared by a boundary. */
  leftOut: LeftOut | undefined;
  /** The results that the newest request deleted from the cached prompt, and their size by the newest report. */
  deleted: readonly DeletedResult[];
  deletedTokens: number;
}

/** Creates an empty view. */
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

/** The current configuration that is sent besides the messages. */
export interface Configuration {
  /** The entry of the configuration, and the entries that contain its large parts. */
  readonly entry: number;
  readonly systemHeldBy: number;
  readonly toolsHeldBy: number;
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Present if the configuration is another agent's, in an imported session. */
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

/** The request whose report is expected next. */
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
  /** `caller`: the caller's own parameters ask for the edits. */
  readonly askedBy: "engine" | "caller";
}

/** One element of the view. */
export type Item = MessageItem | Seal;

/** The content of one or more entries, as the model sees it. */
export interface MessageItem {
  readonly kind: "message";
  /** The first and the last entry of the item: one entry, or the range that a decision replaced. */
  readonly from: number;
  readonly to: number;
  /** The decision that placed this item; absent if the entry is shown as it was appended. */
  readonly by?: number;
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  readonly origin: MessagePayload["origin"];
  /** The source of the text; always present for an attachment. @default the source that `origin` implies */
  readonly provenance?: Provenance;
  /** The attachment's type, if the item is an attachment. */
  readonly attachment?: string;
  /** The response that the item is a part of, the request that it answers, and the provider that wrote it. */
  readonly responseId?: string;
  readonly answers?: number;
  readonly provider?: string;
  /** The place of the full content, if the item is a preview. */
  readonly stored?: StoredContent;
  readonly stop?: "paused";
  /**
   * `lost`: earlier content has changed since, so thinking that is bound to its place cannot be sent back.
   */
  readonly thinking: "intact" | "lost";
  /** The features that the size is estimated from. */
  readonly features: Features;
}

/** The end of a request. All earlier items were sent, and are always flattened in the same way. */
export interface Seal extends RequestedEdits {
  readonly kind: "seal";
  readonly from: number;
  readonly to: number;
  readonly maxTokens: number;
  readonly previousResponseId?: string;
  /** @default "5m" */
  readonly cacheTtl?: CacheTtl;
  /** The cache lifetime of the system prompt and the tools. @default `cacheTtl` */
  readonly headTtl?: "1h";
}

type ShownMessage = Omit<MessageItem, "kind" | "thinking" | "features"> & Partial<Pick<MessageItem, "thinking">>;

/** Makes an item, with the features of its blocks as they are sent. */
export function toItem({ thinking = "intact", ...shown }: ShownMessage, options?: FeatureOptions): MessageItem {
  return { ...shown, kind: "message", thinking, features: sumOfFeatures(sentBlocks(shown), options) };
}

/** Returns the blocks with the tags that are added when they are sent, because these count, too. */
function sentBlocks(shown: ShownMessage): readonly Block[] {
  const isMarked = shown.role === "user" && (shown.provenance ?? shown.blocks.some(hasProvenance)) !== false;
  if (!isMarked) return shown.blocks;
  return shown.blocks.map((block) => (block.kind === "text" ? textAsSent(block, shown) : block));
}

function hasProvenance(block: Block): boolean {
  return block.kind === "text" && block.provenance !== undefined;
}

/** Returns the features of several blocks together. */
export function sumOfFeatures(blocks: readonly Block[], options?: FeatureOptions): Features {
  return blocks.reduce((sum, block) => addFeatures(sum, featuresOf(block, options)), NO_FEATURES);
}

/** Returns the newest request that is still part of the view. */
export function newestSeal({ items }: View): Seal | undefined {
  return items.findLast((item) => item.kind === "seal");
}

/** Whether the model must continue, because the newest item is a tool result and not a user message. */
export function isTurnOpen({ items }: View): boolean {
  const last = items.findLast((item) => item.kind === "message" && item.attachment === undefined);
  return last?.kind === "message" && last.origin === "tool";
}

/** Returns the size of the view in tokens: the reported size plus a padded estimate of the rest. */
export function sizeTokens(view: View): number {
  const { calibration, since, anchor } = view;
  const estimated = padTokens(calibration, estimateTokens(calibration, since));
  return anchor === undefined ? Math.max(0, estimated + missedTokens(calibration)) : anchor.tokens + estimated;
}

/** Returns the most likely size, without the pad. Do not compare it with a limit. */
export function expectedTokens({ calibration, since, anchor }: View): number {
  const estimated = estimateTokens(calibration, since);
  return anchor === undefined ? Math.max(0, estimated + missedTokens(calibration)) : anchor.tokens + estimated;
}

/** Returns the tokens that come back into the prompt if a request does not ask to leave them out again. */
export function returningTokens({ leftOut, deletedTokens }: View, { edits, deleted }: RequestedEdits): number {
  const leftOutTokens = edits === undefined && leftOut?.askedBy === "engine" ? leftOut.tokens : 0;
  return leftOutTokens + (deleted === undefined ? deletedTokens : 0);
}

/** Returns the structure of a view, as a boundary stores it: entry ranges, and the decisions that replaced ranges. */
export function outline({ items, breaks, hidden }: View): Shown[] {
  const runs: Shown[] = [];
  const sorted = breaks.toSorted((a, b) => a - b);
  let passed = 0;
  for (const item of items) {
    const { from, to } = item;
    const by = item.kind === "message" ? item.by : undefined;
    const lost = item.kind === "message" && item.thinking === "lost";
    const last = runs.at(-1);
    // One decision may show several items. They are read from it together.
    if (last !== undefined && by !== undefined && last.by === by && last.from === from) continue;
    const sameSort = last !== undefined && last.by === undefined && by === undefined;
    const sameThinking = item.kind === "seal" || (last?.thinking === "lost") === lost;
    // Find the first break after the last run.
    while (last !== undefined && passed < sorted.length && sorted[passed]! <= last.to) passed++;
    const together = sameSort && sameThinking && !(sorted[passed] !== undefined && sorted[passed]! <= from);
    if (together) runs[runs.length - 1] = { ...last, to };
    else runs.push({ from, to, by, ...(lost ? { thinking: "lost" } : {}) });
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

/**
 * A message, ready to be rendered. For any log, the messages follow these rules: roles alternate, the first message is the user's,
 * every call is answered by the next message, ids are unique and safe, no text is empty, strings are well-formed, and no block is
 * signed by another provider.
 */
export interface FlatMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly Block[];
  /** `native`: the message calls or answers `tool_search`, and the provider has its own form for deferred tools. @default neither */
  readonly toolSearch?: "native";
}

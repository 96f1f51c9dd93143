import type { Shown, ToolDefinition } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import type { DeletedResult, ProviderEdits, RequestedEdits } from "../log/provider-edits.ts";
import { type Calibration, estimateTokens, padTokens } from "../size/calibration.ts";
import { type FeatureOptions, type Features, NO_FEATURES } from "../tokens/features.ts";
import type { Item, Seal } from "./item.ts";

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

export interface Awaited {
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

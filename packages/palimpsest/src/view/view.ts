import type { Shown, ToolDefinition } from "../log/payload.ts";
import type { DeletedResult, ProviderEdits, RequestedEdits } from "../log/provider-edits.ts";
import { type Calibration, estimateTokens, padTokens } from "../tokens/calibration.ts";
import { type FeatureOptions, type Features, NO_FEATURES } from "../tokens/features.ts";
import type { Item, Seal } from "./item.ts";

/**
 * What the model sees now, and what the engine has to know about it: a fold over the log, kept up entry by entry. Only
 * `foldEntry` changes it.
 */
export interface View {
  /** In the order in which they are shown; that is the order of the entries they stand for. */
  readonly items: Item[];
  /** How texts are counted. */
  readonly featureOptions: FeatureOptions;
  /** How many items, from the front, have not changed since this was last set to the number of all. */
  unchangedItems: number;
  configuration: Configuration | undefined;
  calibration: Calibration;
  anchor: Anchor | undefined;
  /** What of the view the anchor does not cover. */
  since: Features;
  /** Ranges that are shown as nothing. */
  hidden: readonly Shown[];
  /** The newest entry that changed something before what is appended now. */
  changedAt: number;
  /** Entry numbers that a range of shown entries never spans: something before them is on another branch or hidden. */
  breaks: readonly number[];
  /** The request that the next report is about, unless something before it has changed. */
  awaited: Awaited | undefined;
  /** What the provider was asked to leave out since the newest boundary, by the newest request that asked. */
  edits: ProviderEdits | undefined;
  /** What it left out of the newest request that was reported; gone with a boundary. */
  leftOut: LeftOut | undefined;
  /** What the newest request deleted from the cached prompt, and how much that was by the newest report. */
  deleted: readonly DeletedResult[];
  deletedTokens: number;
}

/** What is sent beside the messages, as it stands now. */
export interface Configuration {
  /** The entry it comes from, and those that hold its large parts. */
  readonly entry: number;
  readonly systemHeldBy: number;
  readonly toolsHeldBy: number;
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly features: Features;
}

/** What the provider last reported. */
export interface Anchor {
  readonly request: number;
  readonly responseId: string;
  /** Input and output of that response, corrected by the estimated effect of decisions taken since. */
  readonly tokens: number;
  /** Of them, the input as it was reported; absent after a refusal. */
  readonly inputTokens?: number;
  /** Whether the view still begins with what was reported: only then does the next report teach something. */
  readonly prefix: "same" | "changed";
}

export interface Awaited {
  readonly request: number;
  /** What the anchor did not cover when the request was made. */
  readonly since: Features;
  readonly edits?: ProviderEdits;
}

/** What stands in the view and was not part of the prompt. */
export interface LeftOut {
  /** The oldest so many results of tools that are not kept. */
  readonly results: number;
  readonly keptTools: readonly string[];
  readonly tokens: number;
  /** `caller`: the parameters ask for it, whatever the engine does. */
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

/** How many tokens the view has: what was reported, and a padded estimate of the rest. */
export function sizeTokens(view: View): number {
  const estimated = estimateTokens(view.calibration, view.since);
  return (view.anchor?.tokens ?? 0) + padTokens(view.calibration, estimated);
}

/** The same without the pad: the likeliest size, not one to compare with a limit. */
export function expectedTokens({ calibration, since, anchor }: View): number {
  return (anchor?.tokens ?? 0) + estimateTokens(calibration, since);
}

/** What comes back into the prompt with a request that does not ask for it to be left out again. */
export function returningTokens({ leftOut, deletedTokens }: View, { edits, deleted }: RequestedEdits): number {
  const leftOutTokens = edits === undefined && leftOut?.askedBy === "engine" ? leftOut.tokens : 0;
  return leftOutTokens + (deleted === undefined ? deletedTokens : 0);
}

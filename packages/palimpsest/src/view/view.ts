import type { Shown, ToolDefinition } from "../log/payload.ts";
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
  readonly breaks: number[];
  /** The request that the next report is about, unless something before it has changed. */
  awaited: Awaited | undefined;
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
  /** Whether the view still begins with what was reported: only then does the next report teach something. */
  readonly prefix: "same" | "changed";
}

export interface Awaited {
  readonly request: number;
  /** What the anchor did not cover when the request was made. */
  readonly since: Features;
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

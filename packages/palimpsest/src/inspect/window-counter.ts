import { estimateTokens } from "../size/calibration.ts";
import { FEATURE_NAMES, type FeatureName, type Features, featuresOf, NO_FEATURES } from "../tokens/features.ts";
import type { MessageItem } from "../view/item.ts";
import { headTools } from "../view/offer-tools.ts";
import { definitionBlock } from "../view/resolve-configuration.ts";
import type { Configuration, View } from "../view/view.ts";
import { contentPlaceOf } from "./content-place.ts";
import { WINDOW_SOURCES, type WindowSource } from "./index-rows.ts";

/** Counts what fills a window, again and again as it grows. */
export interface WindowCounter {
  /** The tokens in the view by their source, as an estimate: one number for each of `WINDOW_SOURCES`. */
  count(view: View): readonly number[];
}

type Sums = Record<WindowSource, Record<FeatureName, number>>;

/** Only items that are new since the last count are counted, unless something before them has changed. */
export function createWindowCounter(): WindowCounter {
  let sums = newSums();
  let counted = 0;
  let last: View | undefined;
  let configured: Configuration | undefined;
  return {
    count(view) {
      const { items, configuration, calibration, featureOptions } = view;
      if (view !== last || view.unchangedItems < counted || configuration !== configured) {
        sums = newSums();
        counted = 0;
        if (configuration !== undefined) addConfiguration(sums, configuration, featureOptions);
      }
      for (const item of items.slice(counted)) if (item.kind === "message") addItem(sums, item, featureOptions);
      counted = items.length;
      view.unchangedItems = items.length;
      last = view;
      configured = configuration;
      return WINDOW_SOURCES.map((source) => estimateTokens(calibration, sums[source]));
    },
  };
}

function newSums(): Sums {
  return Object.fromEntries(WINDOW_SOURCES.map((source) => [source, { ...NO_FEATURES }])) as Sums;
}

function addConfiguration(sums: Sums, { system, tools }: Configuration, options: View["featureOptions"]): void {
  add(sums.system, featuresOf({ kind: "text", text: system }, options));
  for (const tool of headTools(tools)) add(sums.tools, featuresOf(definitionBlock(tool), options));
}

function addItem(sums: Sums, item: MessageItem, options: View["featureOptions"]): void {
  const { blocks, features } = item;
  for (const block of blocks) {
    add(sums[contentPlaceOf(block, item)], blocks.length === 1 ? features : featuresOf(block, options));
  }
}

function add(sum: Record<FeatureName, number>, more: Features): void {
  for (const name of FEATURE_NAMES) sum[name] += more[name];
}

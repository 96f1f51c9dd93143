import type { Block } from "../log/block.ts";
import type { Budget } from "../size/budget.ts";
import { estimateTokens, padTokens } from "../size/calibration.ts";
import type { CarriedState } from "../state/carried.ts";
import type { SessionState } from "../state/state.ts";
import { featuresOf } from "../tokens/features.ts";
import type { Item } from "../view/item.ts";
import { type Configuration, sizeTokens, type View } from "../view/view.ts";

/** A session at one moment: what a compaction goes by while the session goes on. */
export interface Snapshot {
  readonly view: View;
  readonly changedAt: number;
  readonly items: readonly Item[];
  readonly newestEntry: number;
  readonly carriedState: CarriedState;
  readonly configuration: Configuration;
  readonly sizeTokens: number;
  readonly budget: Budget;
  readonly countTokens: (text: string) => number;
  readonly countBlock: (block: Block) => number;
  readonly tokensOf: (item: Item) => number;
}

export function takeSnapshot(state: SessionState, budget: Budget): Snapshot {
  const { view, carriedState, configuration, newestEntry } = state;
  return {
    view,
    carriedState,
    configuration,
    newestEntry,
    budget,
    changedAt: view.changedAt,
    items: [...view.items],
    sizeTokens: sizeTokens(view),
    ...measuresOf(view),
  };
}

/** Estimates of texts and items, padded, by what is known of the model now. */
export function measuresOf({
  calibration,
  featureOptions,
}: View): Pick<Snapshot, "countTokens" | "countBlock" | "tokensOf"> {
  const countBlock = (block: Block): number =>
    padTokens(calibration, estimateTokens(calibration, featuresOf(block, featureOptions)));
  return {
    countBlock,
    // The same rounds are measured for each way to a summary, and for the view after it.
    countTokens: remembering((text) => countBlock({ kind: "text", text })),
    tokensOf: (item) => (item.kind === "seal" ? 0 : padTokens(calibration, estimateTokens(calibration, item.features))),
  };
}

export function remembering(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? count(text);
    known.set(text, tokens);
    return tokens;
  };
}

// Which results become files with a preview.

import { anObject, checkAllOptions, ifGiven, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import type { StoreRule } from "../policy.ts";

export interface StoreNumbers {
  /** A longer result becomes a file. @default 50_000 */
  readonly thresholdCharacters?: number;
  /** The results of one round together. @default 200_000 */
  readonly roundCharacters?: number;
  /** A longer message of the user becomes a file. @default 100_000 */
  readonly userMessageCharacters?: number;
  /** Thresholds of single tools, also of tools that limit their results themselves. @default none */
  readonly byTool?: Readonly<Record<string, number | "never">>;
}

/** Stores results by their length. Results of a tool that limits them itself stay whole. */
export function storeBySize(numbers: StoreNumbers = {}): StoreRule {
  checkAllOptions("storeBySize", numbers, {
    thresholdCharacters: MAYBE_A_COUNT,
    roundCharacters: MAYBE_A_COUNT,
    userMessageCharacters: MAYBE_A_COUNT,
    byTool: ifGiven(anObject("an object of tool names and lengths")),
  });
  const {
    thresholdCharacters = 50_000,
    roundCharacters = 200_000,
    userMessageCharacters = 100_000,
    byTool = {},
  } = numbers;
  return {
    name: "by-size",
    params: { thresholdCharacters, roundCharacters, userMessageCharacters, byTool },
    roundCharacters,
    userMessageCharacters,
    thresholdOf({ name, bounded }) {
      if (Object.hasOwn(byTool, name)) return byTool[name]!;
      return bounded ? "never" : thresholdCharacters;
    },
  };
}

/** Leaves everything in the conversation. */
export function storeNothing(): StoreRule {
  return {
    name: "nothing",
    roundCharacters: Number.POSITIVE_INFINITY,
    userMessageCharacters: Number.POSITIVE_INFINITY,
    thresholdOf: () => "never",
  };
}

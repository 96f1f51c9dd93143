import type { Block } from "palimpsest";
import {
  addFeatures,
  type Calibration,
  estimateTokens,
  type Features,
  featuresOf,
  learn,
  NO_FEATURES,
  padTokens,
  startCalibration,
} from "palimpsest/inspect";
import type { Growth } from "./growths.ts";

/** Predicts, growth by growth, the tokens of one session's next request. */
export interface Estimator {
  predict(growth: Growth): number;
  /** Told after the prediction. */
  observe(growth: Growth): void;
}

/** What every estimator is given: the last usage, with the response's output where the transcript has the final count. */
function anchorOf({ contextTokensBefore, outputTokens }: Growth): number {
  return contextTokensBefore + (outputTokens ?? 0);
}

function unknownBlocks({ outputTokens, response, added }: Growth): readonly Block[] {
  return outputTokens === undefined ? [...response, ...added] : added;
}

/** The engine's own: the functions, and the order of calls, that a session uses. */
export class CalibratedEstimator implements Estimator {
  #calibration: Calibration = startCalibration();
  #features: Features = NO_FEATURES;
  readonly #as: "estimate" | "padded" | "unlearned";

  /** "padded": what a threshold would be compared with. "unlearned": as if every request were the session's first. */
  constructor(as: "estimate" | "padded" | "unlearned") {
    this.#as = as;
  }

  predict(growth: Growth): number {
    this.#features = unknownBlocks(growth)
      .map((block) => featuresOf(block))
      .reduce(addFeatures, NO_FEATURES);
    const estimate = estimateTokens(this.#calibration, this.#features);
    return anchorOf(growth) + (this.#as === "padded" ? padTokens(this.#calibration, estimate) : estimate);
  }

  observe(growth: Growth): void {
    if (this.#as === "unlearned") return;
    const tokens = growth.contextTokens - anchorOf(growth);
    this.#calibration = learn(this.#calibration, { features: this.#features, tokens });
  }
}

/** A rule of thumb on top of the same anchor. */
export class PlainEstimator implements Estimator {
  readonly #tokensOf: (block: Block) => number;
  readonly #pad: number;

  constructor(tokensOf: (block: Block) => number, pad: number) {
    this.#tokensOf = tokensOf;
    this.#pad = pad;
  }

  predict(growth: Growth): number {
    const tokens = unknownBlocks(growth).reduce((sum, block) => sum + Math.round(this.#tokensOf(block)), 0);
    return anchorOf(growth) + Math.ceil(this.#pad * tokens);
  }

  observe(): void {}
}

const MEDIA_TOKENS = 2_000;

export function quarterOfCharacters(block: Block): number {
  return measure(block, { text: (text) => text.length / 4, json: (json) => json.length / 4 });
}

export function bytesWithJsonApart(block: Block): number {
  return measure(block, {
    text: (text) => Buffer.byteLength(text) / 4,
    json: (json) => Buffer.byteLength(json) / 2,
  });
}

interface Rule {
  text(text: string): number;
  json(json: string): number;
}

function measure(block: Block, rule: Rule): number {
  switch (block.kind) {
    case "text":
    case "thinking":
      return rule.text(block.text);
    case "tool_call":
      return rule.json(block.name + (JSON.stringify(block.input) ?? ""));
    case "tool_result":
      return typeof block.content === "string"
        ? rule.text(block.content)
        : block.content.reduce((sum, part) => sum + measure(part, rule), 0);
    case "image":
    case "document":
      return MEDIA_TOKENS;
    case "opaque":
      return rule.json(JSON.stringify(block.native.block) ?? "");
  }
}

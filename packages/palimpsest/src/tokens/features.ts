import type { Block } from "../log/block.ts";
import { scanText, type TextCounts } from "../size/features.ts";

/**
 * The features of a block that cost tokens, each in its own unit. Tokens are estimated from them now, and again once more was
 * learned. Features of several blocks add up.
 */
export interface Features extends TextCounts {
  readonly blocks: number;
  readonly toolCalls: number;
  /** Values in tool inputs. */
  readonly inputFields: number;
  readonly toolResults: number;
  /**
   * Length of the signature of signed thinking. The visible text is a summary at best; the signature grows with the thinking.
   */
  readonly signatureCharacters: number;
  readonly images: number;
  readonly documents: number;
  /** Tokens of texts that a tokenizer counted; such texts have no other features. */
  readonly countedTokens: number;
}

/** The name of a feature. */
export type FeatureName = keyof Features;

/** The features of nothing: all are zero. */
export const NO_FEATURES: Features = {
  blocks: 0,
  toolCalls: 0,
  inputFields: 0,
  toolResults: 0,
  signatureCharacters: 0,
  images: 0,
  documents: 0,
  countedTokens: 0,
  ...scanText(""),
};

/** All features, by name. */
export const FEATURE_NAMES: readonly FeatureName[] = Object.keys(NO_FEATURES) as FeatureName[];

export interface FeatureOptions {
  /** Counts the tokens of a text, if you have the model's tokenizer. @default none: texts are described, not counted */
  readonly countText?: (text: string) => number;
}

/** Returns the features of a block that its tokens are estimated from. Reads at most 65,536 characters of the block. */
export function featuresOf(block: Block, { countText }: FeatureOptions = {}): Features {
  const texts: string[] = [];
  const structure = { ...NO_FEATURES, ...structureOf(block, texts) };
  if (texts.length === 0) return structure;
  const text = texts.length === 1 ? texts[0]! : texts.join(" ");
  return countText === undefined
    ? { ...structure, ...scanText(text) }
    : { ...structure, countedTokens: Math.max(0, Math.round(countText(text)) || 0) };
}

/** The sum of two counts. */
export function addFeatures(left: Features, right: Features): Features {
  const sum: Record<FeatureName, number> = { ...left };
  for (const name of FEATURE_NAMES) sum[name] += right[name];
  return sum;
}

/** Adds all features except those of texts, and collects the texts in `texts`. */
function structureOf(block: Block, texts: string[]): Partial<Features> {
  switch (block.kind) {
    case "text":
      texts.push(block.text);
      return { blocks: 1 };
    case "thinking":
      if (block.signature !== undefined) return { blocks: 1, signatureCharacters: block.signature.length };
      if (block.native !== undefined) return { blocks: 1, signatureCharacters: lengthOf(block.native.block) };
      texts.push(block.text);
      return { blocks: 1 };
    case "tool_call":
      texts.push(block.name);
      return { blocks: 1, toolCalls: 1, inputFields: collectJson(block.input, texts) };
    case "tool_result": {
      if (typeof block.content === "string") {
        texts.push(block.content);
        return { blocks: 1, toolResults: 1 };
      }
      const parts = block.content.map((part) => structureOf(part, texts));
      const count = (name: "images" | "documents"): number => parts.reduce((sum, part) => sum + (part[name] ?? 0), 0);
      return { blocks: 1, toolResults: 1, images: count("images"), documents: count("documents") };
    }
    case "image":
      return { blocks: 1, images: 1 };
    case "document":
      return { blocks: 1, documents: 1 };
    case "opaque":
      collectJson(block.native.block, texts);
      return { blocks: 1 };
  }
}

/** The signature is somewhere in a provider's own format, and is most of it. */
function lengthOf(value: unknown): number {
  const texts: string[] = [];
  collectJson(value, texts);
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Adds names and values, without the punctuation between them; returns the number of values. Works at any depth. */
function collectJson(value: unknown, texts: string[]): number {
  const open: unknown[] = [value];
  let values = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) {
      texts.push(String(next));
      values++;
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else {
      for (const [name, inner] of Object.entries(next)) {
        texts.push(name);
        open.push(inner);
      }
    }
  }
  return values;
}

import { FEATURE_NAMES, type FeatureName, type Features } from "./features.ts";

interface BudgetOptions {
  readonly windowTokens: number;
  /** @default "on" */
  readonly autoCompaction?: "on" | "off";
  /** Compact at this percentage of the effective window, if that is earlier. Ignored unless above 0 and up to 100. */
  readonly autoCompactPercent?: number | undefined;
}

/** Sizes of the view that trigger an action. 0 < warning <= error <= limit, and auto-compact < blocking < effective. */
export interface Budget {
  readonly windowTokens: number;
  /** The usable part of the window: the window minus the reserve for the summary that saves the session. */
  readonly effectiveTokens: number;
  readonly autoCompaction: "on" | "off";
  readonly autoCompactTokens: number;
  /** The limit that the user sees: where compaction happens, or where the window ends. */
  readonly limitTokens: number;
  readonly warningTokens: number;
  readonly errorTokens: number;
  /** From this size on no further input is accepted. */
  readonly blockingTokens: number;
}

export type BudgetLevel = "ok" | "warning" | "error" | "blocked";

interface Margin {
  readonly tokens: number;
  /** A share of the window or the limit, which applies where that is small. */
  readonly share: number;
}

/**
 * A window of 200,000 gives an effective window of 180,000 and compaction at 167,000. The shares take over below 100,000
 * to 150,000 and are chosen so that the levels keep their order in every window from 4,000 tokens on.
 */
const RESERVE: Margin = { tokens: 20_000, share: 1 / 5 };
/** A whole response may arrive between two checks. */
const AUTO_COMPACT_MARGIN: Margin = { tokens: 13_000, share: 1 / 10 };
const BLOCKING_MARGIN: Margin = { tokens: 3_000, share: 1 / 50 };
const WARNING_MARGIN: Margin = { tokens: 20_000, share: 1 / 7 };
const ERROR_MARGIN: Margin = { tokens: 10_000, share: 1 / 14 };

export function budgetOf({ windowTokens, autoCompaction = "on", autoCompactPercent }: BudgetOptions): Budget {
  const effectiveTokens = windowTokens - marginOf(RESERVE, windowTokens);
  const defaultTokens = effectiveTokens - marginOf(AUTO_COMPACT_MARGIN, windowTokens);
  // Without auto-compaction an earlier percentage has no effect.
  const askedTokens = autoCompaction === "on" ? percentOf(effectiveTokens, autoCompactPercent) : undefined;
  const autoCompactTokens = Math.min(defaultTokens, askedTokens ?? defaultTokens);
  const limitTokens = autoCompaction === "on" ? autoCompactTokens : effectiveTokens;
  return {
    windowTokens,
    effectiveTokens,
    autoCompaction,
    autoCompactTokens,
    limitTokens,
    warningTokens: limitTokens - marginOf(WARNING_MARGIN, limitTokens),
    errorTokens: limitTokens - marginOf(ERROR_MARGIN, limitTokens),
    blockingTokens: effectiveTokens - marginOf(BLOCKING_MARGIN, windowTokens),
  };
}

export function isAutoCompactDue({ autoCompaction, autoCompactTokens }: Budget, sizeTokens: number): boolean {
  return autoCompaction === "on" && sizeTokens >= autoCompactTokens;
}

export function levelOf(budget: Budget, sizeTokens: number): BudgetLevel {
  if (sizeTokens >= budget.blockingTokens) return "blocked";
  if (sizeTokens >= budget.errorTokens) return "error";
  return sizeTokens >= budget.warningTokens ? "warning" : "ok";
}

/** The used share of the limit, in whole percent. */
export function percentLeft({ limitTokens }: Pick<Budget, "limitTokens">, sizeTokens: number): number {
  return Math.max(0, Math.round(((limitTokens - sizeTokens) / limitTokens) * 100));
}

interface ClampOptions {
  readonly windowTokens: number;
  readonly sizeTokens: number;
  readonly wantedTokens: number;
}

/**
 * Returns the `max_tokens` of a request, so that input and output fit the window together; at least 1, the minimum of the APIs.
 * The size is an estimate, and some servers refuse a request for one token too many.
 */
export function clampMaxTokens({ windowTokens, sizeTokens, wantedTokens }: ClampOptions): number {
  const leftTokens = windowTokens - sizeTokens - marginOf(BLOCKING_MARGIN, windowTokens);
  return Math.max(1, Math.min(wantedTokens, leftTokens));
}

function marginOf({ tokens, share }: Margin, ofTokens: number): number {
  return Math.min(tokens, Math.floor(ofTokens * share));
}

function percentOf(tokens: number, percent: number | undefined): number | undefined {
  if (percent === undefined || !(percent > 0 && percent <= 100)) return undefined;
  return Math.max(1, Math.floor((tokens * percent) / 100));
}

export interface WindowSources {
  /** The model as the user names it: a trailing `[1m]` asks for the long window. */
  readonly model: string;
  /** The window by the table of models, the provider or the caller. */
  readonly windowTokens?: number | undefined;
  /** The input limit, where it is smaller than the window. */
  readonly maxInputTokens?: number | undefined;
  /** Beta features that the request asks for. @default none */
  readonly betas?: readonly string[];
  /** The window of an unknown model. */
  readonly fallbackTokens: number;
}

interface FoundWindow {
  readonly tokens: number;
  /** `caller`: the name of the model, or a beta that the request asks for. */
  readonly from: "caller" | "capability" | "fallback";
}

const LONG_WINDOW_TOKENS = 1_000_000;
const LONG_WINDOW_SUFFIX = /\[1m\]$/i;
const LONG_WINDOW_BETA = /^context-1m\b/;

/** Returns the model's limit from the first source that knows it: suffix, capability, beta, setting. */
export function windowOf(sources: WindowSources): FoundWindow {
  const { model, windowTokens, maxInputTokens, betas = [], fallbackTokens } = sources;
  if (LONG_WINDOW_SUFFIX.test(model)) return { tokens: LONG_WINDOW_TOKENS, from: "caller" };
  const limits = [windowTokens, maxInputTokens].filter(isCount);
  if (limits.length > 0) return { tokens: Math.min(...limits), from: "capability" };
  if (betas.some((beta) => LONG_WINDOW_BETA.test(beta))) return { tokens: LONG_WINDOW_TOKENS, from: "caller" };
  return { tokens: fallbackTokens, from: "fallback" };
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isInteger(tokens) && tokens > 0;
}

/**
 * The fewest tokens that a tokenizer makes of each feature. Words count as public tokenizers count the most common ones. Runs
 * of one character, which some tokenizers put into a single token, and content that a provider may leave out or count in its
 * own way (images, thinking, the structure of blocks) count nothing.
 */
const LEAST_TOKENS_PER: Partial<Readonly<Record<FeatureName, number>>> = {
  words: 0.6,
  letters: 0.1,
  numbers: 0.6,
  digits: 0.15,
  marks: 0.5,
  lines: 0.5,
  foreignLetters: 0.2,
  symbols: 0.5,
  ideographs: 0.5,
  emoji: 1,
  countedTokens: 1,
};

/** No tokenizer puts more characters of ordinary text into a token on average. */
const MAX_CHARACTERS_PER_TOKEN = 5;
const PLAIN: readonly FeatureName[] = [
  ...(["words", "letters", "numbers", "digits", "marks", "furtherMarks", "lines", "spaces"] as const),
];

/** Returns the fewest tokens that content can have with any tokenizer: below that, something was not read. */
export function minimumTokens(features: Features): number {
  const sum = (names: readonly FeatureName[], of: (name: FeatureName) => number): number =>
    names.reduce((total, name) => total + of(name) * features[name], 0);
  const plain = sum(PLAIN, (name) => LEAST_TOKENS_PER[name] ?? 0);
  const others = sum(
    FEATURE_NAMES.filter((name) => !PLAIN.includes(name)),
    (name) => LEAST_TOKENS_PER[name] ?? 0,
  );
  // Words longer than in any language are fillers, and compress like them.
  const fillers = (LEAST_TOKENS_PER.letters ?? 0) * features.runOnLetters;
  const byLength = sum(PLAIN, () => 1) / MAX_CHARACTERS_PER_TOKEN;
  return Math.floor(Math.min(plain - fillers, byLength) + others);
}

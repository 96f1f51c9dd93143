// The context window of a model, and its budget: the sizes of the view at which the session warns, compacts or blocks.

/** Divides a window into the sizes that trigger an action. */
export function budgetOf({ windowTokens, autoCompaction = "on" }: BudgetOptions): Budget {
  const usableTokens = windowTokens - marginOf(RESERVE, windowTokens);
  const autoCompactTokens = usableTokens - marginOf(AUTO_COMPACT_MARGIN, windowTokens);
  const limitTokens = autoCompaction === "on" ? autoCompactTokens : usableTokens;
  return {
    windowTokens,
    usableTokens,
    autoCompactTokens,
    limitTokens,
    warningTokens: limitTokens - marginOf(WARNING_MARGIN, limitTokens),
    errorTokens: limitTokens - marginOf(ERROR_MARGIN, limitTokens),
    hardLimitTokens: usableTokens - marginOf(BLOCKING_MARGIN, windowTokens),
  };
}

interface BudgetOptions {
  readonly windowTokens: number;
  /** @default "on" */
  readonly autoCompaction?: "on" | "off";
}

/** Sizes of the view that trigger an action. 0 < warning <= error <= limit, and auto-compact < hard limit < usable. */
export interface Budget {
  readonly windowTokens: number;
  /** The usable part of the window: the window minus the reserve for the summary that saves the session. */
  readonly usableTokens: number;
  /** The size at which the window counts as nearly full. The policy decides when to compact: `compaction.atTokens` of the size. */
  readonly autoCompactTokens: number;
  /** The end of the levels: `autoCompactTokens`, or `usableTokens` if the session does not compact by itself. */
  readonly limitTokens: number;
  readonly warningTokens: number;
  readonly errorTokens: number;
  /** From this size on, the engine acts even if no rule does, and sends no request if that does not help. */
  readonly hardLimitTokens: number;
}

/** Tokens to keep free: the smaller of a number and a share. */
interface Margin {
  readonly tokens: number;
  /** A share of the window or the limit. It applies to small windows. */
  readonly share: number;
}

/**
 * Of a window of 200,000, 180,000 are usable, and it is nearly full at 167,000. The shares apply below 100,000 to 150,000
 * and keep the levels in order in every window from 4,000 tokens on.
 */
const RESERVE: Margin = { tokens: 20_000, share: 1 / 5 };
/** Room for a whole response, which may arrive between two checks. */
const AUTO_COMPACT_MARGIN: Margin = { tokens: 13_000, share: 1 / 10 };
const BLOCKING_MARGIN: Margin = { tokens: 3_000, share: 1 / 50 };
const WARNING_MARGIN: Margin = { tokens: 20_000, share: 1 / 7 };
const ERROR_MARGIN: Margin = { tokens: 10_000, share: 1 / 14 };

function marginOf({ tokens, share }: Margin, ofTokens: number): number {
  return Math.min(tokens, Math.floor(ofTokens * share));
}

/** Returns the level of a view for the user. */
export function levelOf(budget: Budget, sizeTokens: number): BudgetLevel {
  if (sizeTokens >= budget.hardLimitTokens) return "blocked";
  if (sizeTokens >= budget.errorTokens) return "error";
  return sizeTokens >= budget.warningTokens ? "warning" : "ok";
}

export type BudgetLevel = "ok" | "warning" | "error" | "blocked";

/** Returns how much of the limit is left, in whole percent. */
export function percentLeft({ limitTokens }: Pick<Budget, "limitTokens">, sizeTokens: number): number {
  return Math.max(0, Math.round(((limitTokens - sizeTokens) / limitTokens) * 100));
}

/**
 * Returns the `max_tokens` of a request, so that input and output fit the window together; at least 1, the minimum of the APIs.
 * The size is an estimate, and some servers refuse a request for one token too many.
 */
export function clampMaxTokens({ windowTokens, sizeTokens, wantedTokens }: ClampOptions): number {
  const leftTokens = windowTokens - sizeTokens - marginOf(BLOCKING_MARGIN, windowTokens);
  return Math.max(1, Math.min(wantedTokens, leftTokens));
}

interface ClampOptions {
  readonly windowTokens: number;
  readonly sizeTokens: number;
  readonly wantedTokens: number;
}

/** Returns the model's limit from the first source that knows it: suffix, capability, beta, setting. */
export function windowOf(sources: WindowSources): FoundWindow {
  const { model, windowTokens, maxInputTokens, betas = [], fallbackTokens } = sources;
  if (LONG_WINDOW_SUFFIX.test(model)) return { tokens: LONG_WINDOW_TOKENS, from: "caller" };
  const limits = [windowTokens, maxInputTokens].filter(isCount);
  if (limits.length > 0) return { tokens: Math.min(...limits), from: "capability" };
  if (betas.some((beta) => LONG_WINDOW_BETA.test(beta))) return { tokens: LONG_WINDOW_TOKENS, from: "caller" };
  return { tokens: fallbackTokens, from: "fallback" };
}

/** What is known about a model's window. */
export interface WindowSources {
  /** The model as the user names it: a trailing `[1m]` asks for the long window. */
  readonly model: string;
  /** The window according to the model table, the provider or the caller. */
  readonly windowTokens?: number | undefined;
  /** The input limit, if it is smaller than the window. */
  readonly maxInputTokens?: number | undefined;
  /** Beta features that the request asks for. @default none */
  readonly betas?: readonly string[];
  /** The window of an unknown model. */
  readonly fallbackTokens: number;
}

interface FoundWindow {
  readonly tokens: number;
  /** `caller`: from the name of the model, or from a beta that the request asks for. */
  readonly from: "caller" | "capability" | "fallback";
}

const LONG_WINDOW_TOKENS = 1_000_000;
const LONG_WINDOW_SUFFIX = /\[1m\]$/i;
const LONG_WINDOW_BETA = /^context-1m\b/;

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isInteger(tokens) && tokens > 0;
}

export interface BudgetOptions {
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

export interface ClampOptions {
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

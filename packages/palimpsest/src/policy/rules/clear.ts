// Rules that propose to clear tool results. A cleared result is replaced by a stub, and can be recalled.

import { A_COUNT, aValueOf, checkAllOptions, ifGiven, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import { choice, flag, list, text } from "../../schema/schema.ts";
import { grouped } from "../../text.ts";
import { cachedUpTo, ratesAt } from "../decide.ts";
import type { ClearRule, Proposal } from "../policy.ts";
import type { ResultState, WindowState } from "../window-state.ts";

/** A stub has about 200 characters. */
export const STUB_TOKENS = 60;

/** Which results a rule may clear. */
export interface ClearNumbers {
  /** Never clear this many of the newest results. */
  readonly keepNewest: number;
  /** Never clear results of these tools. @default none */
  readonly keepTools?: readonly string[];
  /** Do not clear less than this. @default 0 */
  readonly minTokens?: number;
}

const TOOLS = ifGiven(aValueOf(list(text())));
const NUMBERS = { keepNewest: A_COUNT, keepTools: TOOLS, minTokens: MAYBE_A_COUNT };

/** When the prompt cache has expired. The prompt is written again anyway, so clearing old results costs nothing. */
export function whenCold(numbers: ClearNumbers): ClearRule {
  checkAllOptions("whenCold", numbers, NUMBERS);
  return {
    name: "when-cold",
    params: { ...numbers },
    propose(state) {
      if (state.cache.status !== "cold") return undefined;
      const because = `the prompt cache expired, after ${minutes(state.cache.idleMs)} without a request`;
      return proposalOf(stale(state, numbers), state, { level: "if-it-pays", because }, numbers);
    },
  };
}

/** After a fixed pause, at any price. */
export function whenIdle(numbers: ClearNumbers & { readonly minutes: number }): ClearRule {
  checkAllOptions("whenIdle", numbers, { ...NUMBERS, minutes: A_COUNT });
  return {
    name: "when-idle",
    params: { ...numbers },
    propose(state) {
      if (state.cache.idleMs < numbers.minutes * 60_000) return undefined;
      const because = `${minutes(state.cache.idleMs)} without a request`;
      return proposalOf(stale(state, numbers), state, { level: "requested", because }, numbers);
    },
  };
}

export interface BySizeNumbers extends ClearNumbers {
  /** Clear until all clearable results together have this size. */
  readonly targetTokens: number;
  /** Act from this distance to the hard limit on. */
  readonly nearLimitTokens: number;
}

/** Near the limit, at any price: the oldest results, down to a fixed size of all results. */
export function bySize(numbers: BySizeNumbers): ClearRule {
  checkAllOptions("bySize", numbers, { ...NUMBERS, targetTokens: A_COUNT, nearLimitTokens: A_COUNT });
  return {
    name: "by-size",
    params: { ...numbers },
    propose(state) {
      if (state.size.tokens < state.window.hardLimitTokens - numbers.nearLimitTokens) return undefined;
      // The newest results count, although they are not cleared.
      const allTokens = sumOf(stale(state, { ...numbers, keepNewest: 0 }));
      const oldest = oldestWith(stale(state, numbers), allTokens - numbers.targetTokens, ({ tokens }) => tokens);
      const because = `near the limit, results have ${grouped(allTokens)} tokens, and may have ${grouped(numbers.targetTokens)}`;
      return proposalOf(oldest, state, { level: "requested", because }, numbers);
    },
  };
}

/**
 * In a warm cache: everything from the place on where clearing gains most. The following tokens are written again, and all later
 * requests read fewer tokens. It did not pay in recorded coding sessions, at any horizon.
 */
export function whenWarm(numbers: ClearNumbers & { readonly horizonRequests: number }): ClearRule {
  checkAllOptions("whenWarm", numbers, { ...NUMBERS, horizonRequests: A_COUNT });
  return {
    name: "when-warm",
    params: { ...numbers },
    propose(state) {
      if (state.cache.status !== "warm") return undefined;
      const eligible = stale(state, numbers);
      const from = bestCut(eligible, state, numbers.horizonRequests);
      const because = `reading less on ${numbers.horizonRequests} requests is worth writing the rest again`;
      return proposalOf(eligible.slice(from), state, { level: "if-it-pays", because }, numbers);
    },
  };
}

/** The index of the first result to clear; past the end if no clearing gains anything. */
function bestCut(eligible: readonly ResultState[], state: WindowState, horizonRequests: number): number {
  const { read, write } = ratesAt(state.prices, state.size.tokens);
  let best = { from: eligible.length, gain: 0 };
  let freed = 0;
  for (let from = eligible.length - 1; from >= 0; from--) {
    const result = eligible[from]!;
    freed += freedBy(result);
    const rewritten = Math.max(0, state.size.tokens - freed - cachedUpTo(state, result.beforeTokens));
    const gain = freed * read * horizonRequests - rewritten * (write - read);
    if (gain > best.gain) best = { from, gain };
  }
  return best.from;
}

/** In a full window, as an alternative to a compaction: the oldest results, until the window is filled to `toShare`. */
export function toFit(numbers: ClearNumbers & { readonly toShare: number }): ClearRule {
  checkAllOptions("toFit", numbers, { ...NUMBERS, toShare: A_COUNT });
  return {
    name: "to-fit",
    params: { ...numbers },
    propose(state) {
      const excess = state.size.tokens - state.window.usableTokens * numbers.toShare;
      if (excess <= 0) return undefined;
      const oldest = oldestWith(stale(state, numbers), excess, freedBy);
      const because = `to fill the window to ${Math.round(100 * numbers.toShare)}%`;
      return proposalOf(oldest, state, { level: "when-full", because }, numbers);
    },
  };
}

export interface ByProviderNumbers extends ClearNumbers {
  /** The provider clears nothing from a smaller request. In a small window, 80% of the usable window instead. */
  readonly aboveTokens: number;
  /** The provider clears nothing if that frees less. In a small window, less in proportion. */
  readonly freeAtLeastTokens: number;
  /** Tools whose input is cleared together with the result. @default none */
  readonly inputsOf?: readonly string[];
  /** After such a pause, the provider also drops old thinking. @default never */
  readonly thinkingAfterIdleMinutes?: number;
  /** Propose only while the model works with tools. @default always */
  readonly onlyInTurn?: boolean;
  /** @default "if-it-pays" */
  readonly level?: "if-it-pays" | "when-full";
}

const BY_PROVIDER = {
  ...NUMBERS,
  aboveTokens: A_COUNT,
  freeAtLeastTokens: A_COUNT,
  inputsOf: TOOLS,
  thinkingAfterIdleMinutes: MAYBE_A_COUNT,
  onlyInTurn: ifGiven(aValueOf(flag())),
  level: ifGiven(aValueOf(choice(["if-it-pays", "when-full"]))),
};

/**
 * Asks the provider to clear. The messages that are sent stay as they are, so this also works inside a turn with thinking that is
 * bound to its prompt. No proposal if the provider has no such edits.
 */
export function byProvider(numbers: ByProviderNumbers): ClearRule {
  checkAllOptions("byProvider", numbers, BY_PROVIDER);
  const { keepNewest, keepTools = [], inputsOf = [], thinkingAfterIdleMinutes, level = "if-it-pays" } = numbers;
  return {
    name: "by-provider",
    params: { ...numbers },
    propose(state) {
      const { model, size, window, cache, turn } = state;
      if (model.contextEdits === "none" || (numbers.onlyInTurn === true && turn.status !== "open")) return undefined;
      const scale = Math.min(1, (window.usableTokens * 0.8) / numbers.aboveTokens);
      const aboveTokens = Math.floor(numbers.aboveTokens * scale);
      const freeAtLeastTokens = Math.floor(numbers.freeAtLeastTokens * scale);
      if (size.tokens < aboveTokens) return undefined;
      const eligible = staleResults(state, numbers);
      if (sumOf(eligible) < freeAtLeastTokens) return undefined;
      const because = `above ${grouped(aboveTokens)} tokens, old results have ${grouped(sumOf(eligible))}`;
      const proposal = measure(eligible, { level, because }, numbers);
      if (proposal === undefined) return undefined;
      const dropsThinking =
        model.contextEdits === "results-and-thinking" &&
        thinkingAfterIdleMinutes !== undefined &&
        cache.idleMs >= thinkingAfterIdleMinutes * 60_000;
      const thinking = dropsThinking ? "last-turn" : "all";
      const edits = { aboveTokens, freeAtLeastTokens, keepNewest, keepTools, inputsOf, thinking } as const;
      return { ...proposal, action: { kind: "ask-provider", edits }, undo: "counted" };
    },
  };
}

/** Deletes results from the provider's cached prompt, which stays warm. No proposal if the provider cannot do that. */
export function byCacheEdit(numbers: ClearNumbers & { readonly atLeastResults: number }): ClearRule {
  checkAllOptions("byCacheEdit", numbers, { ...NUMBERS, atLeastResults: A_COUNT });
  return {
    name: "by-cache-edit",
    params: { ...numbers },
    propose(state) {
      if (!state.model.deletesFromCache || state.cache.status !== "warm") return undefined;
      const eligible = staleResults(state, numbers);
      if (eligible.length + numbers.keepNewest < numbers.atLeastResults) return undefined;
      const because = "the provider can delete from its cached prompt";
      const proposal = measure(eligible, { level: "if-it-pays", because }, numbers);
      if (proposal === undefined) return undefined;
      const entries = eligible.map(({ entry }) => entry);
      return { ...proposal, action: { kind: "delete-cached", entries }, keepsPrefixTokens: state.size.tokens };
    },
  };
}

// ------------------------------------------------------------------------------------------------ for rules of your own

/**
 * The results that may be cleared, oldest first, and recalled memories except the newest. Results that the model asked for again
 * after a clearing stay.
 */
export function stale(state: WindowState, numbers: ClearNumbers): readonly ResultState[] {
  const memories = new Set(
    state.results.filter(({ sort, shown }) => sort === "memory" && shown === "whole").slice(0, -1),
  );
  const results = new Set(staleResults(state, numbers));
  return state.results.filter((one) => results.has(one) || (memories.has(one) && one.tokens > STUB_TOKENS));
}

/** The same without memories, for a provider that clears results of calls only. */
function staleResults({ results }: WindowState, numbers: ClearNumbers): readonly ResultState[] {
  const { keepNewest, keepTools = [] } = numbers;
  const whole = results.filter(
    ({ sort, clearable, shown, tool }) =>
      sort !== "memory" && clearable && shown === "whole" && !keepTools.includes(tool),
  );
  const old = whole.slice(0, Math.max(0, whole.length - keepNewest));
  return old.filter(({ askedAgain, tokens }) => !askedAgain && tokens > STUB_TOKENS);
}

/**
 * A proposal to replace these results by stubs. Undefined if there are none, if they free less than `minTokens`, or inside a turn of
 * a model whose thinking is bound to its prompt.
 */
export function proposalOf(
  cleared: readonly ResultState[],
  { model, turn }: WindowState,
  reason: Pick<Proposal, "level" | "because">,
  numbers: Pick<ClearNumbers, "minTokens"> = {},
): Proposal | undefined {
  if (model.thinking === "bound" && turn.status === "open") return undefined;
  const proposal = measure(cleared, reason, numbers);
  if (proposal === undefined) return undefined;
  const thinking = model.thinking === "bound" ? "dropped" : "stays";
  return { ...proposal, action: { kind: "clear", entries: cleared.map(({ entry }) => entry), thinking } };
}

/** What clearing these results frees, where it begins, and what the model is expected to fetch again. */
function measure(
  cleared: readonly ResultState[],
  { level, because }: Pick<Proposal, "level" | "because">,
  { minTokens = 0 }: Pick<ClearNumbers, "minTokens">,
): Omit<Proposal, "action"> | undefined {
  const [first] = cleared;
  const freesTokens = cleared.reduce((sum, result) => sum + freedBy(result), 0);
  if (first === undefined || freesTokens < Math.max(1, minTokens)) return undefined;
  const neededTokens = cleared.reduce((sum, { tokens, needChance }) => sum + tokens * needChance, 0);
  const requests = cleared.reduce((sum, { needChance }) => sum + needChance, 0);
  return {
    level,
    because: `${because}; ${cleared.length} ${cleared.length === 1 ? "result" : "results"}`,
    freesTokens,
    keepsPrefixTokens: first.beforeTokens,
    comesBack: { tokens: Math.ceil(neededTokens), requests },
    undo: "exact",
  };
}

/** The oldest results, until they have freed this much. */
function oldestWith(
  results: readonly ResultState[],
  tokens: number,
  tokensOf: (result: ResultState) => number,
): readonly ResultState[] {
  let missing = tokens;
  return results.filter((result) => {
    if (missing <= 0) return false;
    missing -= tokensOf(result);
    return true;
  });
}

function freedBy({ tokens }: ResultState): number {
  return Math.max(0, tokens - STUB_TOKENS);
}

function sumOf(results: readonly ResultState[]): number {
  return results.reduce((sum, { tokens }) => sum + tokens, 0);
}

function minutes(ms: number): string {
  return `${grouped(Math.round(ms / 60_000))} minutes`;
}

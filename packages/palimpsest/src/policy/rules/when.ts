// When to compact.

import { A_COUNT, anObject, checkAllOptions, ifGiven, MAYBE_A_COUNT } from "../../schema/check-options.ts";
import { asObject } from "../../schema/json-fields.ts";
import { grouped } from "../../text.ts";
import { isPromise } from "../guard.ts";
import type { CompactReason, Level, WhenRule } from "../policy.ts";
import type { Json, WindowLimits, WindowState } from "../window-state.ts";
import { namedRule } from "./named-rule.ts";

export type { WhenRule } from "../policy.ts";

export interface WindowNumbers {
  /** Keep this much of the usable window free, or a tenth of a small window. @default 13_000 */
  readonly bufferTokens?: number;
  /** Compact at this percentage of the usable window, if that is earlier. @default only at the buffer */
  readonly percent?: number;
}

/** When the window is nearly full: at 167,000 of 200,000 tokens by default. */
export function window(numbers: WindowNumbers = {}): WhenRule {
  checkAllOptions("window", numbers, { bufferTokens: MAYBE_A_COUNT, percent: MAYBE_A_COUNT });
  const { bufferTokens = 13_000, percent = 100 } = numbers;
  return namedWhen("window", { bufferTokens, percent }, (state) => {
    const atTokens = Math.min(
      nearlyFullAt(state.window, bufferTokens),
      Math.floor((state.window.usableTokens * percent) / 100),
    );
    if (state.size.tokens < atTokens) return undefined;
    const because = `${grouped(state.size.tokens)} tokens have reached ${grouped(atTokens)} of ${grouped(state.window.tokens)}`;
    return { level: "required", because };
  });
}

/** The size at which a window is nearly full. */
export function nearlyFullAt({ tokens, usableTokens }: WindowLimits, bufferTokens = 13_000): number {
  return usableTokens - Math.min(bufferTokens, Math.floor(tokens / 10));
}

/** The sizes from which on a compaction may save money. */
export interface SavingSizes {
  readonly fromTokens: number;
  /** While the model works with tools. Larger than `fromTokens`, because a compaction loses details that the work needs. */
  readonly inTurnFromTokens: number;
}

export interface EconomicNumbers extends SavingSizes {
  /**
   * The sizes if no pings keep the prompt in the cache. Smaller, because every pause then writes the whole prompt again.
   * @default the same
   */
  readonly unlessKeptWarm?: SavingSizes | undefined;
  /** Only in windows that are larger. @default 0 */
  readonly aboveWindowTokens?: number;
}

/** From a size on, if it saves money. */
export function economic(numbers: EconomicNumbers): WhenRule {
  checkAllOptions("economic", numbers, {
    ...SIZES,
    unlessKeptWarm: ifGiven(anObject("an object with fromTokens and inTurnFromTokens")),
    aboveWindowTokens: MAYBE_A_COUNT,
  });
  const { unlessKeptWarm = numbers, aboveWindowTokens = 0 } = numbers;
  if (unlessKeptWarm !== numbers) checkAllOptions("unlessKeptWarm of economic", unlessKeptWarm, SIZES);
  const { fromTokens, inTurnFromTokens } = numbers;
  const sizes = { fromTokens: unlessKeptWarm.fromTokens, inTurnFromTokens: unlessKeptWarm.inTurnFromTokens };
  const params = { fromTokens, inTurnFromTokens, unlessKeptWarm: sizes, aboveWindowTokens };
  return namedWhen("economic", params, ({ size, window: { tokens }, turn, cache }) => {
    if (tokens <= aboveWindowTokens) return undefined;
    const from = cache.keptWarm ? numbers : unlessKeptWarm;
    const fromSize = turn.status === "open" ? from.inTurnFromTokens : from.fromTokens;
    if (size.tokens < fromSize) return undefined;
    return {
      level: "if-it-pays",
      because: `${grouped(size.tokens)} tokens, and saving starts at ${grouped(fromSize)}`,
    };
  });
}

const SIZES = { fromTokens: A_COUNT, inTurnFromTokens: A_COUNT };

/**
 * After the host has marked the end of a piece of work, such as a closed ticket, at any price. The rule waits for the end of a turn,
 * and asks for one compaction for each mark.
 */
export function afterMark(name: string, numbers: { readonly fromTokens?: number } = {}): WhenRule {
  checkAllOptions("afterMark", numbers, { fromTokens: MAYBE_A_COUNT });
  const { fromTokens = 0 } = numbers;
  return namedWhen("after-mark", { mark: name, fromTokens }, ({ marks, turn, size, history }) => {
    const mark = Object.hasOwn(marks, name) ? marks[name] : undefined;
    if (mark === undefined || turn.status === "open" || size.tokens < fromTokens) return undefined;
    const compactedTo = history.lastCompaction?.entry ?? 0;
    if (mark.entry <= compactedTo) return undefined;
    return { level: "requested", because: `the mark "${name}" is ${JSON.stringify(mark.value)}` };
  });
}

/** The name of the tool with which the model proposes a compaction, and of the mark that the tool sets. */
export const PROPOSAL = "compact";

/** The words of the model that proposes a compaction. */
export interface CompactProposal {
  /** What the model does after the compaction. */
  readonly next: string;
  /** Names and figures that the summary must keep. */
  readonly keep: readonly string[];
}

/** The proposal of the model. It ends with the next compaction, and with the next call of another tool: the pause in the work is then over. */
export function proposalIn({ marks, history, results }: WindowState): CompactProposal | undefined {
  const mark = Object.hasOwn(marks, PROPOSAL) ? marks[PROPOSAL] : undefined;
  if (mark === undefined || mark.entry <= (history.lastCompaction?.entry ?? 0)) return undefined;
  if (results.at(-1)?.tool !== PROPOSAL) return undefined;
  const { next, keep } = (asObject(mark.value) ?? {}) as Partial<Record<keyof CompactProposal, unknown>>;
  const texts = Array.isArray(keep) ? keep.filter((one): one is string => typeof one === "string") : [];
  return { next: typeof next === "string" ? next : "", keep: texts };
}

/** When the model has proposed a compaction with the tool `compact`, if that saves money. Also inside a turn. */
export function whenProposed(numbers: { readonly fromTokens?: number } = {}): WhenRule {
  checkAllOptions("whenProposed", numbers, { fromTokens: MAYBE_A_COUNT });
  const { fromTokens = 40_000 } = numbers;
  return namedWhen("proposed", { fromTokens }, (state) => {
    if (state.size.tokens < fromTokens || proposalIn(state) === undefined) return undefined;
    return {
      level: "if-it-pays",
      because: `${grouped(state.size.tokens)} tokens, and the model proposes a compaction`,
    };
  });
}

const STRENGTH: Readonly<Record<Level, number>> = { required: 0, requested: 1, "if-it-pays": 2, "when-full": 3 };

/** The strongest reason of several rules. Of equal reasons, the first. */
export function anyOf(...rules: readonly WhenRule[]): WhenRule {
  const strongest = (state: WindowState): CompactReason | undefined => {
    const reasons = rules.map((when) => when(state)).filter((reason): reason is CompactReason => reason !== undefined);
    // Pass an invalid reason on, so that the decision reports it.
    const [invalid] = reasons.filter((reason) => isPromise(reason) || !Object.hasOwn(STRENGTH, reason.level));
    return invalid ?? reasons.toSorted((one, other) => STRENGTH[one.level] - STRENGTH[other.level])[0];
  };
  return Object.assign(namedRule("any-of", undefined, strongest), { of: rules });
}

/** A rule with a name and numbers. Its reasons carry the name. */
function namedWhen(
  name: string,
  params: Json,
  when: (state: WindowState) => Omit<CompactReason, "rule"> | undefined,
): WhenRule {
  return namedRule(name, params, (state: WindowState) => {
    const reason = when(state);
    return reason && { ...reason, rule: name };
  });
}

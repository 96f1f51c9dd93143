// When to compact.

import { A_COUNT, checkAllOptions, MAYBE_A_COUNT } from "../../schema/check-options.ts";
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

export interface EconomicNumbers {
  readonly fromTokens: number;
  /** While the model works with tools. Larger than `fromTokens`, because a compaction loses details that the work needs. */
  readonly inTurnFromTokens: number;
  /** Only in windows that are larger. @default 0 */
  readonly aboveWindowTokens?: number;
}

/** From a size on, if it saves money. */
export function economic(numbers: EconomicNumbers): WhenRule {
  checkAllOptions("economic", numbers, {
    fromTokens: A_COUNT,
    inTurnFromTokens: A_COUNT,
    aboveWindowTokens: MAYBE_A_COUNT,
  });
  const { fromTokens, inTurnFromTokens, aboveWindowTokens = 0 } = numbers;
  return namedWhen("economic", { ...numbers }, ({ size, window: { tokens }, turn }) => {
    if (tokens <= aboveWindowTokens) return undefined;
    const from = turn.status === "open" ? inTurnFromTokens : fromTokens;
    if (size.tokens < from) return undefined;
    return { level: "if-it-pays", because: `${grouped(size.tokens)} tokens, and saving starts at ${grouped(from)}` };
  });
}

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

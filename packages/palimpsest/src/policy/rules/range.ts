// What a compaction replaces. The engine moves a cut to a place where calls, results and thinking stay together.

import { A_COUNT, checkAllOptions } from "../../schema/check-options.ts";
import type { Outline, RangeRule } from "../policy.ts";
import { namedRule } from "./named-rule.ts";

export type { RangeRule } from "../policy.ts";

/** Everything up to the newest response. */
export const everything: RangeRule = namedRule("everything", undefined, ({ turns }: Pick<Outline, "turns">) => {
  const newest = turns.at(-1);
  return newest === undefined ? undefined : { to: newest.to };
});

export interface KeepNewestNumbers {
  /** Keep at least this many tokens. */
  readonly tokens: number;
  /** Keep at least this many messages with text. */
  readonly messages: number;
  /** Never keep more than this, even if the minimums are not reached. */
  readonly maxTokens: number;
}

/** Everything but the newest turns. An earlier summary is never kept: the new one covers it. */
export function keepNewest(numbers: KeepNewestNumbers): RangeRule {
  checkAllOptions("keepNewest", numbers, { tokens: A_COUNT, messages: A_COUNT, maxTokens: A_COUNT });
  const { tokens, messages, maxTokens } = numbers;
  const range: RangeRule = ({ turns }) => {
    let [keptTokens, keptMessages] = [0, 0];
    for (const turn of turns.toReversed()) {
      const isEnough = keptTokens >= tokens && keptMessages >= messages;
      if (isEnough || turn.origin === "summary" || keptTokens + turn.tokens > maxTokens) return { to: turn.to };
      keptTokens += turn.tokens;
      keptMessages += turn.messages;
    }
    return undefined;
  };
  return namedRule("keep-newest", { ...numbers }, range);
}

/**
 * Everything before the newest mark with this name, such as the earlier tickets. Everything if the session has no such mark, or if
 * less than half of the conversation is before it: that would not make enough room.
 */
export function beforeMark(name: string): RangeRule {
  const range: RangeRule = (outline, state) => {
    const mark = Object.hasOwn(state.marks, name) ? state.marks[name] : undefined;
    if (mark === undefined) return everything(outline, state);
    const before = outline.turns.filter(({ to }) => to <= mark.entry);
    const newTokens = sumOf(before.filter(({ origin }) => origin === "conversation"));
    if (newTokens * 2 < sumOf(outline.turns)) return everything(outline, state);
    return everything({ turns: before }, state);
  };
  return namedRule("before-mark", { mark: name }, range);
}

function sumOf(turns: readonly { readonly tokens: number }[]): number {
  return turns.reduce((sum, { tokens }) => sum + tokens, 0);
}

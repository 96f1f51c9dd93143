// When to write a summary before anybody needs it.

import { A_COUNT, checkAllOptions } from "../../schema/check-options.ts";
import { grouped } from "../../text.ts";
import type { PrepareRule } from "../policy.ts";

export interface AheadNumbers {
  /** Between turns, start at this share of the size at which the policy compacts. */
  readonly idleShare: number;
  /** The same while the model works with tools. */
  readonly inTurnShare: number;
  readonly maxTailTokens: number;
}

/**
 * Shortly before a compaction. Never on a cold cache, where the call would pay for the whole prompt, and never while an earlier
 * prepared summary is valid.
 */
export function nearCompaction(numbers: AheadNumbers): PrepareRule {
  checkAllOptions("nearCompaction", numbers, { idleShare: A_COUNT, inTurnShare: A_COUNT, maxTailTokens: A_COUNT });
  const { idleShare, inTurnShare, maxTailTokens } = numbers;
  return {
    name: "near-compaction",
    params: { ...numbers },
    maxTailTokens,
    start({ size, cache, prepared, history, turn, compactsAt }) {
      if (compactsAt === undefined || cache.status !== "warm" || prepared !== undefined) return undefined;
      if (history.breaker === "open") return undefined;
      const isOpen = turn.status === "open";
      const atTokens = isOpen ? compactsAt.inTurnTokens : compactsAt.betweenTurnsTokens;
      const fromTokens = Math.floor((isOpen ? inTurnShare : idleShare) * atTokens);
      if (size.tokens < fromTokens) return undefined;
      const because = `${grouped(size.tokens)} tokens, and a compaction follows at ${grouped(atTokens)}`;
      return { level: "requested", because };
    },
  };
}

import type { UsedTokens } from "../../session-event/used-tokens.ts";
import type { Emit } from "../../session-event.ts";
import type { EnterUsage } from "../../state/responses.ts";
import { wholeTokens } from "../whole-tokens.ts";
import type { ForkWatch } from "./fork-request-options.ts";

export interface WatchForkOptions {
  readonly source: string;
  /** Ends the fork. */
  readonly signal: AbortSignal;
  /** Of the parent: its ledger holds what its forks have used. */
  readonly enterUsage: EnterUsage;
  readonly emit: Emit;
}

const NOTHING = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Charges a fork's responses to its parent, and tells how it ended. One that has asked nothing is not told of. */
export function watchFork({ source, signal, enterUsage, emit }: WatchForkOptions): ForkWatch {
  let newest: "none" | "open" | "answered" = "none";
  let used: UsedTokens = NOTHING;
  return {
    asked() {
      newest = "open";
    },
    async recorded({ responseId, model, usage }) {
      newest = "answered";
      used = sum(used, wholeTokens(usage));
      await enterUsage({ responseId, model, ...usage, source });
    },
    async interrupted(use) {
      used = sum(used, use);
      await enterUsage({ ...use, source });
    },
    closed() {
      if (newest === "none") return;
      const outcome = newest === "answered" ? "ok" : signal.aborted ? "aborted" : "failed";
      emit({ kind: "forked", source, outcome, used });
    },
  };
}

function sum(one: UsedTokens, other: UsedTokens): UsedTokens {
  return {
    freshTokens: one.freshTokens + other.freshTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0),
  };
}

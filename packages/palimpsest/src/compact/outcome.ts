import type { CompactionFailure } from "../log/payload-compaction.ts";
import type { CompactionOutcome } from "../session/compact/compact-options.ts";
import type { CompactionEnded, SummaryFailure } from "../session-event/compaction-events.ts";
import type { UsedTokens } from "../session-event/used-tokens.ts";
import type { Spent } from "./model-calls.ts";

export interface EndedCompaction {
  readonly outcome: CompactionOutcome;
  /** By the calls that were made for it. */
  readonly used?: UsedTokens | undefined;
  /** What was spent by calls that led to no compaction. */
  readonly spentInVain?: Spent;
  /** What the model is shown from now on. */
  readonly summary?: string;
  /** Why no model wrote it. */
  readonly withoutSummary?: CompactionFailure;
}

/** How it ended, in the words of the event that tells it. */
export function reportOutcome({
  outcome,
  summary = "",
  used,
  withoutSummary,
}: EndedCompaction): CompactionEnded["outcome"] {
  const usage = used === undefined ? {} : { used };
  switch (outcome.kind) {
    case "compacted": {
      const { rung, tokensBefore, tokensAfter } = outcome;
      const without = withoutSummary === undefined ? {} : { withoutSummary: reportFailure(withoutSummary) };
      return { kind: "compacted", rung, tokensBefore, tokensAfter, summary, ...without, ...usage };
    }
    case "nothing": {
      const { cause, why, retryAtMs: retryMs } = outcome;
      return { kind: "declined", reason: cause, why, ...(retryMs === undefined ? {} : { retryAtMs: retryMs }) };
    }
    case "aborted":
      return { kind: "failed", failure: "aborted", why: "it was aborted", ...usage };
    case "failed": {
      const { failure, why, retryAtMs: retryMs } = outcome;
      const retry = retryMs === undefined ? {} : { retryAtMs: retryMs };
      return { kind: "failed", failure: reportFailure(failure), why, ...retry, ...usage };
    }
  }
}

function reportFailure(failure: CompactionFailure): SummaryFailure {
  switch (failure) {
    case "api-error":
      return "api_error";
    case "no-summary":
    case "declined":
      return "no_summary";
    case "prompt-too-long":
    case "too-large":
      return "prompt_too_long";
  }
}

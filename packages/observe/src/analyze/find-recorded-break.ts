import { type Cause, type ChangeCause, findDrop, nameCauses } from "palimpsest/inspect";
import type { PromptPart } from "../transcripts/readers/recorded.ts";
import type { BreakCause } from "./analysis.ts";
import type { Billed } from "./price-response.ts";

/** The recorded events between two requests. */
export type RecordedChange = "compaction" | "clearing" | "rewind";

export interface RequestPair {
  readonly before: Billed & {
    readonly sentAtMs: number;
    readonly model: string | undefined;
    readonly inputTokens: number;
  };
  readonly now: Billed & {
    readonly sentAtMs: number;
    readonly model: string | undefined;
    readonly inputTokens: number;
  };
  readonly changes: ReadonlySet<RecordedChange>;
  /** Unlike the changes above, an agent can avoid these. */
  readonly promptChanges: readonly PromptPart[];
  /** The lifetime of the tokens that the previous request left. */
  readonly lifetimeMs: number;
  /** Blocks that were added in between. */
  readonly newBlocks: number;
}

/** In the ledger's words, which know where in the prompt each comes. */
const CHANGES: Readonly<Record<RecordedChange, ChangeCause>> = {
  compaction: "boundary",
  clearing: "replace",
  rewind: "rewind",
};
const CAUSES: Readonly<Partial<Record<Cause, BreakCause>>> = {
  model: "model",
  tools: "tools",
  system: "system",
  parameters: "parameters",
  pause: "pause",
  boundary: "compaction",
  rewind: "rewind",
  replace: "clearing",
  server: "unknown",
};

/** Only an edit makes a prompt this much shorter: of 53 such prompts in recorded sessions, 52 missed. */
const SHRUNK_TOKENS = 5_000;
/** How far before a mark the provider looks; some clients mark only the newest message. */
const LOOK_BACK_BLOCKS = 20;

/** Returns why the cache held less than it could, by the record and the clock. */
export function causesOf(pair: RequestPair): readonly BreakCause[] {
  const { before, now, changes, promptChanges, lifetimeMs, newBlocks } = pair;
  const model = before.model === now.model ? [] : [{ cause: "model" as const }];
  const named = nameCauses({
    changes: [
      ...model,
      ...promptChanges.map((cause) => ({ cause })),
      ...[...changes].map((change) => ({ cause: CHANGES[change] })),
    ],
    pauseMs: now.sentAtMs - before.sentAtMs,
    lifetimeMs,
  });
  const causes = named.map((cause) => CAUSES[cause] ?? "unknown");
  if (causes[0] !== "unknown") return causes;
  if (now.inputTokens < before.inputTokens - SHRUNK_TOKENS) return ["edited"];
  // Only where clients mark what is to be cached is there a place to look back from; such services report what they wrote.
  return newBlocks > LOOK_BACK_BLOCKS && before.cacheWriteTokens > 0 ? ["look-back"] : ["unknown"];
}

/** Returns how many tokens were paid for again, if that is a break by the rule of the ledger. */
export function rebilledTokens({ before, now }: Pick<RequestPair, "before" | "now">): number | undefined {
  if (findDrop(before, now) === undefined) return undefined;
  const leftTokens = before.cacheReadTokens + before.cacheWriteTokens;
  return Math.max(0, Math.min(leftTokens, now.inputTokens) - now.cacheReadTokens);
}

/** The tokens that a perfect cache could have read. */
export function perfectRead({ before, now, changes }: RequestPair, fixedTokens: number): number {
  // A service that reports reads but no writes caches everything by itself.
  const unreported = before.cacheWriteTokens === 0 && before.cacheReadTokens > 0 ? before.freshTokens : 0;
  const leftTokens = before.cacheReadTokens + before.cacheWriteTokens + unreported;
  const isOther = before.model !== now.model;
  // After a cleared place nothing is where it was: the tokens that were read are all that could be.
  const keptTokens =
    isOther || changes.has("clearing") ? 0 : changes.size > 0 ? Math.min(leftTokens, fixedTokens) : leftTokens;
  return Math.max(now.cacheReadTokens, Math.min(keptTokens, now.inputTokens));
}

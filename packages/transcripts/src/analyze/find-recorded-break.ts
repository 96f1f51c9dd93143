import { type Cause, type ChangeCause, findDrop, nameCauses } from "palimpsest/core";
import type { BreakCause } from "./analysis.ts";
import type { Billed } from "./price-response.ts";

/** What the record shows to have happened between two requests. */
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
  /** How long what the one before had left is kept. */
  readonly lifetimeMs: number;
  /** Blocks that came in between. */
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
  pause: "pause",
  boundary: "compaction",
  rewind: "rewind",
  replace: "clearing",
  server: "unknown",
};

/** Nothing but an edit makes a prompt so much shorter: of 53 such prompts in recorded sessions, 52 missed. */
const SHRUNK_TOKENS = 5_000;
/** How far before a mark the provider looks; some clients mark only the newest message. */
const LOOK_BACK_BLOCKS = 20;

/** Why the cache had less than it could have, going by the record and the clock. */
export function causesOf(pair: RequestPair): readonly BreakCause[] {
  const { before, now, changes, lifetimeMs, newBlocks } = pair;
  const model = before.model === now.model ? [] : [{ cause: "model" as const }];
  const named = nameCauses({
    changes: [...model, ...[...changes].map((change) => ({ cause: CHANGES[change] }))],
    pauseMs: now.sentAtMs - before.sentAtMs,
    lifetimeMs,
  });
  const causes = named.map((cause) => CAUSES[cause] ?? "unknown");
  if (causes[0] !== "unknown") return causes;
  if (now.inputTokens < before.inputTokens - SHRUNK_TOKENS) return ["edited"];
  // Only where clients mark what is to be cached is there a place to look back from; such services report what they wrote.
  return newBlocks > LOOK_BACK_BLOCKS && before.cacheWriteTokens > 0 ? ["look-back"] : ["unknown"];
}

/** How many tokens were paid for again, if that is a break by the rule of the ledger. */
export function rebilledTokens({ before, now }: Pick<RequestPair, "before" | "now">): number | undefined {
  if (findDrop(before, now) === undefined) return undefined;
  const leftTokens = before.cacheReadTokens + before.cacheWriteTokens;
  return Math.max(0, Math.min(leftTokens, now.inputTokens) - now.cacheReadTokens);
}

/** What could have been read, had the cache been perfect. */
export function perfectRead({ before, now, changes }: RequestPair, fixedTokens: number): number {
  // Where writing is not reported, but something was read, the service caches all of it by itself.
  const unreported = before.cacheWriteTokens === 0 && before.cacheReadTokens > 0 ? before.freshTokens : 0;
  const leftTokens = before.cacheReadTokens + before.cacheWriteTokens + unreported;
  const isOther = before.model !== now.model;
  // Behind a place that was cleared nothing stands where it stood: what was read was all that could be.
  const keptTokens =
    isOther || changes.has("clearing") ? 0 : changes.size > 0 ? Math.min(leftTokens, fixedTokens) : leftTokens;
  return Math.max(now.cacheReadTokens, Math.min(keptTokens, now.inputTokens));
}

// Explains the compactions of a session from its log.

import { readPayload } from "../log/entry.ts";
import type { BoundaryPayload, DecisionCost } from "../log/payload.ts";
import type { CompactionRecord, CompactionTrigger, DecidedBy } from "../log/payload-compaction.ts";
import type { LogReader } from "../stores/store.ts";
import { grouped } from "../text.ts";
import type { View } from "../view/view.ts";

/** One boundary: what it replaced, what the model sees instead, why it was made, and what it cost. */
export interface ExplainedBoundary extends CompactionReasons {
  readonly boundary: number;
  readonly atMs: number;
  /** The replaced entries. Each can be recalled. */
  readonly from: number;
  readonly to: number;
  /** The text that the model sees in their place. */
  readonly shownAs: string;
  /**
   * `yes`: the model sees its result now. `compacted-again`: a later compaction has replaced its result. `taken-back`: a restore or
   * rewind undid it.
   */
  readonly inEffect: "yes" | "compacted-again" | "taken-back";
  /** The effect on the prompt and its cache. */
  readonly cost?: DecisionCost;
  /** How it was made; absent if the host replaced the entries by itself. */
  readonly compaction?: CompactionRecord;
}

export interface CompactionReasons {
  /** Why the conversation was compacted, in words and numbers. */
  readonly because: string;
  /** Why it was not compacted earlier. Undefined: the session made no other decision since it was opened. */
  readonly notEarlier: string | undefined;
}

/** Explains why a conversation was compacted at this moment and not earlier. */
export function compactionReasons({
  reason,
  compaction,
}: Pick<BoundaryPayload, "reason" | "compaction">): CompactionReasons {
  if (compaction === undefined) return { because: reason, notEarlier: undefined };
  return { because: becauseOf(compaction), notEarlier: notEarlierOf(compaction.decided) };
}

/** Why a conversation is compacted, in words and numbers. */
export function becauseOf({ trigger, decided }: Pick<CompactionRecord, "trigger" | "decided">): string {
  if (decided !== undefined) return decided.because;
  return WITHOUT_DECISION[trigger];
}

const WITHOUT_DECISION: Readonly<Record<CompactionTrigger, string>> = {
  manual: "the user or the program asked for it",
  reactive: "the provider refused the request as too long",
  auto: "the provider compacted the conversation while it answered",
};

function notEarlierOf(decided: DecidedBy | undefined): string | undefined {
  if (decided?.before === undefined) return undefined;
  const { tokens, compactsAtTokens, because } = decided.before;
  const expected =
    compactsAtTokens === undefined ? "" : `; the policy expected to compact at ${grouped(compactsAtTokens)}`;
  return `at ${grouped(tokens)} tokens, nothing was done (${because})${expected}`;
}

/** All boundaries of a session, newest first. Reads the log once for each. */
export async function explainBoundaries(
  log: LogReader,
  view: View,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<readonly ExplainedBoundary[]> {
  const shown = new Set(
    view.items.flatMap((item) => (item.kind === "message" && item.by !== undefined ? [item.by] : [])),
  );
  const undone = await undoneBoundaries(log);
  const explained: ExplainedBoundary[] = [];
  let below: number | undefined;
  while (explained.length < limit) {
    const entry = await log.newest("boundary", below);
    if (entry === undefined) break;
    below = entry.sequence;
    const read = readPayload(entry);
    if (read.kind !== "boundary") continue;
    const { from, to, with: replacements, reason, cost, compaction } = read.payload;
    // What the host put at the head was not made of what went in.
    const made = replacements.filter(({ attachment }) => attachment === undefined);
    const texts = made.flatMap(({ blocks }) => blocks.flatMap((b) => (b.kind === "text" ? [b.text] : [])));
    explained.push({
      boundary: entry.sequence,
      atMs: entry.atMs,
      from,
      to,
      ...compactionReasons({ reason, compaction }),
      shownAs: texts.join("\n"),
      inEffect: undone(entry.sequence) ? "taken-back" : shown.has(entry.sequence) ? "yes" : "compacted-again",
      cost,
      compaction,
    });
  }
  return explained;
}

/** Which boundaries a restore names, or lie on a branch that a rewind left. */
async function undoneBoundaries(log: LogReader): Promise<(boundary: number) => boolean> {
  const restored = new Set<number>();
  const left: { readonly from: number; readonly to: number }[] = [];
  for (const kind of ["restore", "rewind"]) {
    for (let below: number | undefined; ; ) {
      const entry = await log.newest(kind, below);
      if (entry === undefined) break;
      below = entry.sequence;
      const read = readPayload(entry);
      if (read.kind === "restore") restored.add(read.payload.of);
      if (entry.kind === "rewind") left.push({ from: entry.parent + 1, to: entry.sequence - 1 });
    }
  }
  return (boundary) => restored.has(boundary) || left.some(({ from, to }) => from <= boundary && boundary <= to);
}

import type { Item, MessageItem, Replacement, ReplacePayload } from "palimpsest/core";

import type { Thread } from "../readers/create-thread.ts";
import type { RecordedAgent, RecordedCompaction, RecordedMessage } from "../readers/recorded.ts";
import { toLogBlocks, toOrigin } from "./to-log-blocks.ts";

export interface RecordedCompactionContext {
  readonly compaction: RecordedCompaction;
  /** What the agent put in place of what it folded, if that is recorded beside the compaction. */
  readonly summary?: RecordedMessage | undefined;
  /** What is shown now. */
  readonly items: readonly Item[];
  /** By whose numbers it is known which entries were kept. */
  readonly thread: Pick<Thread, "at">;
  readonly agent: RecordedAgent;
}

/**
 * What a recorded compaction is in our log: which entries are folded, and into what. What was kept stays as it is where it is
 * the end of what is shown; kept messages from the midst of it are put behind the summary. Undefined if nothing is folded.
 */
export function planRecordedCompaction(fold: RecordedCompactionContext): ReplacePayload | undefined {
  const { compaction, summary, agent } = fold;
  const { kept, trigger } = compaction;
  const messages = fold.items.filter((item): item is MessageItem => item.kind === "message");
  const [first] = messages;
  if (first === undefined) return undefined;
  const isKept = keptBy(fold);
  const last = messages.findLastIndex((item) => !isKept(item));
  // All of it was kept: nothing but the summary came in.
  if (last === -1) return undefined;
  const within = messages.slice(0, last + 1).filter(isKept);
  const replacements = kept.kind === "replacement" ? kept.messages : summary === undefined ? [] : [summary];
  return {
    from: first.from,
    to: messages[last]!.to,
    with: [
      ...replacements.flatMap((message) => toReplacement(message, agent)),
      ...within.map(({ role, blocks, origin }): Replacement => ({ role, blocks, origin })),
    ],
    reason: `folded by ${agent}${trigger === "unknown" ? "" : ` (${trigger})`}`,
  };
}

function keptBy({ compaction: { kept }, thread }: RecordedCompactionContext): (item: MessageItem) => boolean {
  if (kept.kind === "range") {
    const from = thread.at(kept.firstId) ?? Number.POSITIVE_INFINITY;
    return (item) => item.from >= from;
  }
  if (kept.kind === "listed") {
    const entries = new Set(kept.ids.map((id) => thread.at(id)));
    return (item) => item.from === item.to && entries.has(item.from);
  }
  return () => false;
}

function toReplacement({ role, origin, blocks }: RecordedMessage, agent: RecordedAgent): Replacement[] {
  if (role === "system" || blocks.length === 0) return [];
  return [{ role, origin: toOrigin(origin), blocks: toLogBlocks(blocks, agent) }];
}

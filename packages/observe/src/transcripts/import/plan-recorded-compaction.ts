import type { Item, MessageItem, Replacement, ReplacePayload } from "palimpsest/inspect";

import type { Thread } from "../readers/create-thread.ts";
import type { RecordedAgent, RecordedCompaction, RecordedMessage } from "../readers/recorded.ts";
import { toMessage } from "./to-log-blocks.ts";

export interface RecordedCompactionContext {
  readonly compaction: RecordedCompaction;
  /** The replacement of the compacted messages, if it is recorded beside the compaction. */
  readonly summary?: RecordedMessage | undefined;
  /** The items shown now. */
  readonly items: readonly Item[];
  /** The numbers that identify the kept entries. */
  readonly thread: Pick<Thread, "at">;
  readonly agent: RecordedAgent;
}

/**
 * Plans a recorded compaction in our log: the compacted entries and their replacement. Kept messages at the end of the view
 * stay unchanged; kept messages from the middle are placed after the summary. Undefined if nothing is compacted.
 */
export function planRecordedCompaction(fold: RecordedCompactionContext): ReplacePayload | undefined {
  const { compaction, summary, agent } = fold;
  const { kept, trigger } = compaction;
  const messages = fold.items.filter((item): item is MessageItem => item.kind === "message");
  const [first] = messages;
  if (first === undefined) return undefined;
  const isKept = keptBy(fold);
  const last = messages.findLastIndex((item) => !isKept(item));
  // Everything was kept: only the summary was added.
  if (last === -1) return undefined;
  const within = messages.slice(0, last + 1).filter(isKept);
  const replacements = kept.kind === "replacement" ? kept.messages : summary === undefined ? [] : [summary];
  return {
    from: first.from,
    to: messages[last]!.to,
    with: [
      ...replacements.flatMap((message) => toReplacement(message, agent)),
      ...within.map(
        ({ role, blocks, origin, provenance }): Replacement =>
          provenance === undefined ? { role, blocks, origin } : { role, blocks, origin, provenance },
      ),
    ],
    reason: `compacted by ${agent}${trigger === "unknown" ? "" : ` (${trigger})`}`,
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

function toReplacement(message: RecordedMessage, agent: RecordedAgent): Replacement[] {
  const { role, blocks } = message;
  return role === "system" || blocks.length === 0 ? [] : [toMessage({ ...message, role }, agent)];
}

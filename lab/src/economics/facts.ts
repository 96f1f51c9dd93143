import { needsOf, type Recording, touchesOf } from "@palimpsest/observe/replay";
import { type NeedTally, tallyNeeds } from "./needs-valid.ts";

/** What a recording itself tells, whatever the policy. */
export interface SessionFacts {
  readonly agent: string;
  readonly rounds: number;
  /** Messages of the user. */
  readonly userMessages: number;
  /** Of each response, its tokens by the provider; null where the final count is not recorded. */
  readonly outputTokens: readonly (number | null)[];
  /** The mean size of a file that was read, or of any result in a session that reads files by commands. */
  readonly rereadTokens: number;
  /** After each recorded compaction. */
  readonly needTallies: readonly NeedTally[];
}

export function toFacts(recording: Recording): SessionFacts {
  const { agent, items, rounds, sizes } = recording;
  const reads = touchesOf(items).flatMap(({ access, result }) => (access === "read" ? [result] : []));
  const results = items.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "tool_result" ? [String(block.content)] : [])),
  );
  return {
    agent,
    rounds: rounds.length,
    userMessages: items.filter(({ origin }) => origin === "human").length,
    outputTokens: rounds.map(({ outputTokens }) => outputTokens ?? null),
    rereadTokens: Math.round(meanBytes(reads.length > 0 ? reads : results) / sizes.bytesPerToken),
    needTallies: tallyNeeds(recording, needsOf(recording)),
  };
}

function meanBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / Math.max(1, texts.length);
}

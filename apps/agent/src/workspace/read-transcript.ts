import { type Entry, entryText, type LogReader, readPayload } from "palimpsest/core";
import { cleanText } from "../text/clean-text.ts";

/** One thing in the log, as the transcript shows it. */
export interface TranscriptEntry {
  readonly entry: number;
  readonly who: "you" | "model" | "tool" | "command" | "host" | "summary" | "attached" | "boundary" | "taken-out";
  readonly title: string;
  readonly text: string;
  /** Whether the model sees it now. */
  readonly seen: "yes" | "folded" | "taken-back";
  /** What a boundary stands for. */
  readonly boundary?: {
    readonly from: number;
    readonly to: number;
    readonly inEffect: "yes" | "compacted-again" | "taken-back";
  };
}

const AT_ONCE = 500;

/**
 * A session as it was said, with what has become of it.
 * @param newest only so many entries, for who wants its end
 */
export async function readTranscript(
  log: LogReader,
  newest: number = Number.POSITIVE_INFINITY,
): Promise<readonly TranscriptEntry[]> {
  const { sequence } = await log.head();
  const entries: Entry[] = [];
  for (let at = Math.max(1, sequence - newest + 1); at <= sequence; at += AT_ONCE)
    entries.push(...(await log.read(at, Math.min(sequence, at + AT_ONCE - 1))));
  return toTranscript(entries);
}

/** Pure: from the entries of a log, all of them up to the newest or the last ones, in order. */
function toTranscript(entries: readonly Entry[]): readonly TranscriptEntry[] {
  const onBranch = branchOf(entries);
  const restored = new Set(
    entries.flatMap((entry) => {
      const read = readPayload(entry);
      return read.kind === "restore" && onBranch.has(entry.sequence) ? [read.payload.of] : [];
    }),
  );
  const folds = entries.flatMap((entry) => {
    const read = readPayload(entry);
    if (read.kind !== "boundary" && read.kind !== "replace") return [];
    const isInEffect = onBranch.has(entry.sequence) && !restored.has(entry.sequence);
    return isInEffect ? [{ entry: entry.sequence, kind: read.kind, from: read.payload.from, to: read.payload.to }] : [];
  });
  const isFolded = (entry: number): boolean => folds.some(({ from, to }) => from <= entry && entry <= to);
  return entries.flatMap((entry) => {
    const { sequence } = entry;
    const seen = !onBranch.has(sequence) ? "taken-back" : isFolded(sequence) ? "folded" : "yes";
    const shown = describe(entry, seen);
    if (shown?.boundary === undefined) return shown === undefined ? [] : [shown];
    const isAgain = folds.some((one) => one.entry > sequence && one.kind === "boundary");
    const isUndone = restored.has(sequence) || seen === "taken-back";
    const inEffect = isUndone ? "taken-back" : isAgain ? "compacted-again" : "yes";
    return [{ ...shown, seen: isUndone ? "taken-back" : "yes", boundary: { ...shown.boundary, inEffect } }];
  });
}

/** The entries that lead to the newest: what a rewind left is not among them. */
function branchOf(entries: readonly Entry[]): ReadonlySet<number> {
  const parents = new Map(entries.map(({ sequence, parent }) => [sequence, parent]));
  const branch = new Set<number>();
  for (let at = entries.at(-1)?.sequence; at !== undefined && at > 0; at = parents.get(at)) branch.add(at);
  return branch;
}

function describe(entry: Entry, seen: TranscriptEntry["seen"]): TranscriptEntry | undefined {
  const text = entryText(entry);
  if (text === undefined) return undefined;
  const common = { entry: entry.sequence, text: cleanText(text), seen };
  const read = readPayload(entry);
  switch (read.kind) {
    case "message": {
      const { origin, blocks, stored } = read.payload;
      const calls = blocks.flatMap((block) => (block.kind === "tool_call" ? [block.name] : []));
      const size = stored === undefined ? "" : ` (${stored.bytes} bytes in a file)`;
      const who = origin === "human" ? "you" : origin;
      return { ...common, who, title: `${calls.length === 0 ? "" : `calls ${calls.join(", ")}`}${size}`.trim() };
    }
    case "attachment":
      return { ...common, who: "attached", title: read.payload.type };
    case "boundary": {
      const { from, to, compaction, reason } = read.payload;
      const sizes =
        compaction === undefined ? reason : `${compaction.tokensBefore} -> ${compaction.tokensAfter} tokens`;
      return {
        ...common,
        who: "boundary",
        title: `entries ${from} to ${to} folded: ${sizes}`,
        boundary: { from, to, inEffect: "yes" },
      };
    }
    case "replace": {
      const { from, to, reason } = read.payload;
      return { ...common, who: "taken-out", title: `entries ${from} to ${to}: ${reason}` };
    }
    default:
      return undefined;
  }
}

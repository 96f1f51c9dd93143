import type { RecordedEntry, RecordedMessage, RecordedUsage } from "@palimpsest/observe";
import type { Block } from "palimpsest";
import { toBlock } from "./to-block.ts";

/** What lies between two consecutive requests of a session, and by how much the context grew. */
export interface Growth {
  readonly contextTokensBefore: number;
  readonly contextTokens: number;
  /** What the first of the two responses is known to have written; undefined if the transcript has no final count. */
  readonly outputTokens: number | undefined;
  /** Its blocks. */
  readonly response: readonly Block[];
  /** What others added after it: results, messages, attachments. */
  readonly added: readonly Block[];
  /** Why the second request cannot be predicted from the first: something left the context. */
  readonly leftOut: "compaction" | "microcompaction" | "not grown" | undefined;
}

/** The steps from request to request of the main conversation, in the order of the file. */
export function growthsOf(entries: readonly RecordedEntry[]): Growth[] {
  const usages = new Map<string, RecordedUsage>();
  for (const entry of entries) if (entry.kind === "usage") usages.set(entry.responseId, entry);
  const growths: Growth[] = [];
  let before: RecordedUsage | undefined;
  let between: RecordedEntry[] = [];
  for (const entry of entries) {
    if (!("branch" in entry) || entry.branch !== "main") continue;
    const usage = entry.kind === "message" && isResponse(entry) ? usages.get(entry.responseId) : undefined;
    if (usage !== undefined && usage.responseId !== before?.responseId) {
      if (before !== undefined) growths.push(toGrowth(before, usage, between));
      before = usage;
      between = [];
    }
    between.push(entry);
  }
  return growths;
}

function toGrowth(before: RecordedUsage, usage: RecordedUsage, between: readonly RecordedEntry[]): Growth {
  const provider = before.model ?? "unknown";
  const messages = between.filter((entry) => entry.kind === "message");
  const blocksOf = (some: readonly RecordedMessage[]): Block[] =>
    some.flatMap(({ blocks }) => blocks.map((block) => toBlock(block, provider)));
  const contextTokensBefore = contextOf(before);
  const contextTokens = contextOf(usage);
  return {
    contextTokensBefore,
    contextTokens,
    outputTokens: before.outputCount === "final" ? before.outputTokens : undefined,
    response: blocksOf(messages.filter(({ responseId }) => responseId === before.responseId)),
    // Text in the model's name without a response is an error note, and was not sent.
    added: blocksOf(messages.filter(({ role }) => role !== "assistant")),
    leftOut:
      between.find((entry) => entry.kind === "compaction" || entry.kind === "microcompaction")?.kind ??
      (contextTokens > contextTokensBefore ? undefined : "not grown"),
  };
}

function contextOf({ freshTokens, cacheReadTokens, cacheWriteTokens = 0 }: RecordedUsage): number {
  return freshTokens + cacheReadTokens + cacheWriteTokens;
}

function isResponse(message: RecordedMessage): message is RecordedMessage & { responseId: string } {
  return message.responseId !== undefined;
}

/** `@palimpsest/observe/analyze`: the spending of a recorded session, its causes, and its losses. */

import { inputTokensOf } from "palimpsest/inspect";
import { aFunction, anAsyncIterable, checkArgument, checkOptions } from "palimpsest/schema";
import { createThread } from "../transcripts/readers/create-thread.ts";
import { gatherResponses, type RecordedResponse } from "../transcripts/readers/gather-responses.ts";
import type {
  RecordedCompaction,
  RecordedEntry,
  RecordedMessage,
  RecordedSession,
} from "../transcripts/readers/recorded.ts";
import { createAccounts } from "./accounts.ts";
import type { Analysis, AnalyzeOptions } from "./analysis.ts";
import { type DescribedCall, describeCall } from "./describe-call.ts";
import { measureBlock } from "./measure-block.ts";
import { partOf } from "./part-of.ts";
import { toBilled } from "./price-response.ts";
import { createReadTracker } from "./track-reads.ts";
import { createWindow, type NewItem, type WindowItem } from "./window.ts";

export type {
  Analysis,
  AnalyzeOptions,
  BreakCause,
  CompactionReport,
  DuplicateReads,
  FileReads,
  LostTotals,
  Part,
  PartKind,
  PartTotals,
  RecordedBreak,
  ResultCost,
  SpentTotals,
  ToolCost,
  WindowPoint,
} from "./analysis.ts";
export { type AnalysisSum, addAnalysis, NO_SESSIONS } from "./sum-analyses.ts";
export { READ_AGAIN_ROUNDS } from "./track-reads.ts";
export { breakText, CAUSES, counted, dollars, partName, pathEnd, percent, tokens } from "./words.ts";

/** Analyzes a recorded session in one pass. Holds ids and sizes, never texts. */
export async function analyze(entries: AsyncIterable<RecordedEntry>, options: AnalyzeOptions): Promise<Analysis> {
  checkArgument("analyze(entries)", entries, anAsyncIterable("what readTranscript(path) returns"));
  checkOptions("analyze", options, {
    factsOf: aFunction("a function from the name of a model to what is known of it"),
  });
  const { factsOf } = options;
  const thread = createThread();
  const window = createWindow();
  const reads = createReadTracker();
  const accounts = createAccounts({ factsOf });
  const calls = new Map<string, DescribedCall>();
  let session: Omit<RecordedSession, "kind"> | undefined;
  let damagedLines = 0;
  /** Of the newest message. */
  let place = 0;

  function toItems(message: RecordedMessage): NewItem[] {
    return message.blocks.map((block) => {
      if (block.kind === "tool_call") {
        calls.set(block.callId, describeCall(block));
        accounts.addCall(block.name);
      }
      if (block.kind !== "tool_result") {
        return { part: partOf(block, message.origin, undefined), features: measureBlock(block), place };
      }
      const call = calls.get(block.callId);
      calls.delete(block.callId);
      const content = typeof block.content === "string" ? block.content : textOf(block.content);
      const read = call?.path === undefined ? undefined : reads.read(call.path, content, accounts.points);
      const { tool = "unknown", about = "" } = call ?? {};
      return {
        part: partOf(block, message.origin, call?.tool),
        features: measureBlock(block),
        place,
        callId: block.callId,
        result: { tool, about, read },
      };
    });
  }

  function addMessage(message: RecordedMessage): void {
    const back = message.origin === "human" ? thread.findRewind(message) : undefined;
    if (back !== undefined) {
      accounts.leave(window.drop((item) => item.place <= back));
      accounts.note("rewind");
    }
    place++;
    thread.note(place, message);
    for (const item of toItems(message)) window.add(item);
  }

  function addResponse(response: RecordedResponse): void {
    const { branch, usage, messages } = response;
    if (branch === "sidechain") {
      if (usage !== undefined) accounts.addSubagent(usage);
      return;
    }
    place++;
    for (const message of messages) thread.note(place, message);
    // Content that was copied from another session was paid for there.
    const isPaid = branch === "main" && usage !== undefined;
    const settled = isPaid ? window.settle(inputTokensOf(toBilled(usage, 0)), accounts.points) : undefined;
    const items = messages.flatMap(toItems);
    if (isPaid && settled !== undefined) {
      const outputTokens = accounts.addResponse({ ...response, usage }, settled, items);
      for (const item of items) window.answer(item, outputTokens);
    } else {
      for (const item of items) window.add(item);
    }
  }

  function compact(compaction: RecordedCompaction): void {
    const { kept } = compaction;
    const stays = keptBy(compaction);
    accounts.leave(window.drop(stays));
    accounts.compact(compaction);
    reads.compact(accounts.points);
    place++;
    thread.pass(place, compaction);
    if (kept.kind !== "replacement") return;
    for (const message of kept.messages) for (const item of toItems(message)) window.add(item);
  }

  function keptBy({ kept }: RecordedCompaction): (item: WindowItem) => boolean {
    if (kept.kind === "range") {
      const from = thread.at(kept.firstId) ?? Number.POSITIVE_INFINITY;
      return (item) => item.place >= from;
    }
    const places = new Set(kept.kind === "listed" ? kept.ids.map((id) => thread.at(id)) : []);
    return (item) => places.has(item.place);
  }

  for await (const step of gatherResponses(entries)) {
    switch (step.kind) {
      case "session": {
        const { kind: _, ...about } = step;
        session = about;
        break;
      }
      case "damage":
        damagedLines++;
        break;
      case "message":
        addMessage(step);
        break;
      case "response":
        addResponse(step);
        break;
      case "compaction":
        compact(step);
        break;
      case "microcompaction": {
        const cleared = window.clear(new Set(step.clearedCallIds));
        for (const { result } of cleared) if (result?.read !== undefined) reads.forget(result.read.key);
        accounts.leave(cleared);
        if (step.clearedCallIds.length > 0) accounts.note("clearing");
        break;
      }
    }
  }
  accounts.leave(window.items());
  return { session, ...accounts.close(reads.reads), damagedLines };
}

function textOf(parts: readonly { readonly kind: string; readonly text?: string }[]): string {
  return parts.map(({ text = "" }) => text).join("\n");
}

import type { ToolCall, ToolResult } from "palimpsest";
import { type ReadEntry, readPayload } from "palimpsest/inspect";
import type { Entry } from "palimpsest/store-parts";

/** What the sessions of the laws were opened with. */
export interface ClearingRules {
  /** Tools whose results are kept. Those of any other tool can be cleared, known or not. */
  readonly kept: readonly string[];
  readonly keepNewest: number;
  /** Decisions up to this entry were made elsewhere, by other rules. */
  readonly decidedElsewhereTo: number;
}

/**
 * What is wrong with the clearing decisions of a log, each held against the log as it was then: errors, results of tools
 * that are not clearable and the newest results are never cleared, and nothing is cleared here where the provider clears. Written
 * from the log alone, without the engine's own view of it.
 */
export function checkCleared(entries: readonly Entry[], rules: ClearingRules): readonly string[] {
  const reads = new Map(entries.map((entry) => [entry.sequence, readPayload(entry)]));
  const parents = new Map(entries.map(({ sequence, parent }) => [sequence, parent]));
  const problems: string[] = [];
  for (const decision of reads.values()) {
    if (decision.kind !== "replace" || !decision.payload.reason.startsWith("cleared")) continue;
    if (decision.sequence <= rules.decidedElsewhereTo) continue;
    const branch: ReadEntry[] = [];
    for (let at = parents.get(decision.sequence)!; at > 0; at = parents.get(at)!) {
      const read = reads.get(at)!;
      if (read.kind !== "passed-over") branch.unshift(read);
    }
    const why = problemOf(decision.payload.from, branch, rules);
    if (why !== undefined) problems.push(`entry ${decision.payload.from} was cleared: ${why}`);
  }
  return problems;
}

type Decision = Extract<ReadEntry, { kind: "replace" | "boundary" }>;

function problemOf(cleared: number, branch: readonly ReadEntry[], rules: ClearingRules): string | undefined {
  const undone = new Set(branch.flatMap((read) => (read.kind === "restore" ? [read.payload.of] : [])));
  const decisions = branch
    .filter((read): read is Decision => read.kind === "replace" || read.kind === "boundary")
    .filter(({ sequence }) => !undone.has(sequence));
  // Of one clearing, each result is a decision: those beside it do not make another one older.
  const isWhole = ({ sequence }: ReadEntry): boolean =>
    !decisions.some(({ payload }) => payload.from <= sequence && sequence <= payload.to);
  const whole = branch.filter(isWhole);
  const found = resultsOf(whole).find(({ entry }) => entry === cleared);
  if (found === undefined) return "it was not shown, or not as it came";
  if (found.result.status === "error") return "it is an error";
  const clearable = resultsOf(whole).filter(
    ({ result, call, stored }) =>
      result.status === "ok" && !stored && call !== undefined && !rules.kept.includes(call.name),
  );
  const place = clearable.findIndex(({ entry }) => entry === cleared);
  if (place < 0) return `results of ${found.call?.name ?? "a call that is not there"} are kept`;
  if (place >= clearable.length - rules.keepNewest) return "it is one of the newest";
  const boundary = decisions.findLast(({ kind }) => kind === "boundary")?.sequence ?? 0;
  const asks = (read: ReadEntry): boolean => read.kind === "request" && read.payload.cache?.edits !== undefined;
  return branch.some((read) => read.sequence > boundary && asks(read)) ? "the provider clears here" : undefined;
}

interface Result {
  readonly entry: number;
  readonly result: ToolResult;
  readonly call: ToolCall | undefined;
  readonly stored: boolean;
}

/** Results that are messages of their own, as the engine writes them, each with the newest call of its id before it. */
function resultsOf(branch: readonly ReadEntry[]): readonly Result[] {
  const calls = new Map<string, ToolCall>();
  return branch.flatMap((read) => {
    if (read.kind !== "message" || read.payload.audience === "user") return [];
    return read.payload.blocks.flatMap((block): Result[] => {
      // What the model did not call is never sent.
      if (block.kind === "tool_call" && read.payload.role === "assistant") calls.set(block.id, block);
      if (block.kind !== "tool_result") return [];
      const stored = read.payload.stored !== undefined;
      return [{ entry: read.sequence, result: block, call: calls.get(block.callId), stored }];
    });
  });
}

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
 * that are not clearable and the newest results are never cleared, a clearing has its stubs behind it, and requests ask the
 * provider to clear only between a decision to ask and one that ends it. Written from the log alone, without the engine's own view
 * of it.
 */
export function checkCleared(entries: readonly Entry[], rules: ClearingRules): readonly string[] {
  const reads = new Map(entries.map((entry) => [entry.sequence, readPayload(entry)]));
  const parents = new Map(entries.map(({ sequence, parent }) => [sequence, parent]));
  const problems: string[] = [];
  const branchBefore = (sequence: number): readonly ReadEntry[] => {
    const branch: ReadEntry[] = [];
    for (let at = parents.get(sequence)!; at > 0; at = parents.get(at)!) {
      const read = reads.get(at)!;
      if (read.kind !== "passed-over") branch.unshift(read);
    }
    return branch;
  };
  for (const read of reads.values()) {
    if (read.sequence <= rules.decidedElsewhereTo) continue;
    const next = reads.get(read.sequence + 1);
    if (read.kind === "decision" && read.payload.action === "clear" && next?.kind !== "replace")
      problems.push(`decision ${read.sequence} clears nothing`);
    if (read.kind === "request" && read.payload.cache?.edits !== undefined && !isAsked(branchBefore(read.sequence)))
      problems.push(`request ${read.sequence} asks the provider to clear, and no decision wants that`);
  }
  for (const decision of reads.values()) {
    if (decision.kind !== "replace" || !decision.payload.reason.startsWith("cleared")) continue;
    if (decision.sequence <= rules.decidedElsewhereTo) continue;
    const why = problemOf(decision.payload.from, branchBefore(decision.sequence), rules);
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
  // A clearing of ours ends what the provider left out, so it clears these results, too.
  if (leftOutBy(branch, decisions, rules).has(cleared)) return undefined;
  if (found.result.status === "error") return "it is an error";
  const clearable = resultsOf(whole).filter(
    ({ result, call, stored }) =>
      result.status === "ok" && !stored && call !== undefined && !rules.kept.includes(call.name),
  );
  const place = clearable.findIndex(({ entry }) => entry === cleared);
  if (place < 0) return `results of ${found.call?.name ?? "a call that is not there"} are kept`;
  return place >= clearable.length - rules.keepNewest ? "it is one of the newest" : undefined;
}

/** The entries of the results that the provider left out of the newest request. It reports how many: the oldest. */
function leftOutBy(
  branch: readonly ReadEntry[],
  decisions: readonly Decision[],
  { kept }: ClearingRules,
): ReadonlySet<number> {
  const boundary = decisions.findLast(({ kind }) => kind === "boundary")?.sequence ?? 0;
  // An interrupted response reports nothing, and its usage is an estimate.
  const report = branch.findLast(
    (read) => read.kind === "usage" && read.payload.source === undefined && read.payload.estimated !== "all",
  );
  const count = report?.kind === "usage" ? (report.payload.appliedEdits?.results ?? 0) : 0;
  if (count === 0 || report!.sequence < boundary) return new Set();
  const folded = decisions.filter(({ kind }) => kind === "boundary");
  const isInView = ({ sequence }: ReadEntry): boolean =>
    !folded.some(({ payload }) => payload.from <= sequence && sequence <= payload.to);
  const results = resultsOf(branch.filter(isInView)).filter(
    ({ call }) => call !== undefined && !kept.includes(call.name),
  );
  return new Set(results.slice(0, count).map(({ entry }) => entry));
}

/** Whether requests ask the provider to clear: from a decision on, until a clearing of ours or a boundary. */
function isAsked(branch: readonly ReadEntry[]): boolean {
  const undone = new Set(branch.flatMap((read) => (read.kind === "restore" ? [read.payload.of] : [])));
  let asked = false;
  for (const read of branch) {
    if (read.kind === "decision")
      asked = read.payload.action === "clear" ? false : asked || read.payload.edits !== undefined;
    if (read.kind === "boundary" && !undone.has(read.sequence)) asked = false;
  }
  return asked;
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

import type { ToolCall } from "../log/block.ts";
import type { Tool } from "../tools/tool.ts";
import { type AnswerOptions, answerCall } from "./answer-call.ts";

/** The maximum number of calls that run at the same time. */
const MAX_AT_ONCE = 10;

/** Runs the calls of a response. After an abort, calls that have not started stay open. */
export async function runCalls(calls: readonly ToolCall[], options: AnswerOptions): Promise<void> {
  for (const group of groupCalls(calls, options.tools)) {
    if (options.signal.aborted) return;
    // Waits for all of them, even if one fails: each needs its result.
    const settled = await Promise.allSettled(group.map((call) => answerCall(call, options)));
    for (const one of settled) if (one.status === "rejected") throw one.reason;
  }
}

/** Groups calls in order; neighbors that are safe in parallel run together. Pure. */
export function groupCalls(
  calls: readonly ToolCall[],
  tools: ReadonlyMap<string, Pick<Tool, "concurrency">>,
): readonly (readonly ToolCall[])[] {
  const groups: ToolCall[][] = [];
  let last: "safe" | "alone" = "alone";
  for (const call of calls) {
    const concurrency = tools.get(call.name)?.concurrency ?? "alone";
    const group = groups.at(-1);
    const joins = group !== undefined && last === "safe" && concurrency === "safe" && group.length < MAX_AT_ONCE;
    if (joins) group.push(call);
    else groups.push([call]);
    last = concurrency;
  }
  return groups;
}

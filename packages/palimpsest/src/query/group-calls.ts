import type { ToolCall } from "../log/block.ts";
import type { Tool } from "../schema/tool.ts";

/** The maximum number of calls that run at the same time. */
const MAX_AT_ONCE = 10;

/** Groups calls in order; neighbors that are safe in parallel run together. Pure. */
export function groupCalls<Call extends { readonly call: Pick<ToolCall, "name"> }>(
  calls: readonly Call[],
  tools: ReadonlyMap<string, Pick<Tool, "concurrency">>,
): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  let last: "safe" | "alone" = "alone";
  for (const call of calls) {
    const concurrency = tools.get(call.call.name)?.concurrency ?? "alone";
    const group = groups.at(-1);
    const joins = group !== undefined && last === "safe" && concurrency === "safe" && group.length < MAX_AT_ONCE;
    if (joins) group.push(call);
    else groups.push([call]);
    last = concurrency;
  }
  return groups;
}

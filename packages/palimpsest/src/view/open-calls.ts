import type { ToolCall } from "../log/block.ts";
import type { Item } from "./item.ts";

/** A call without a result. */
export interface FoundCall {
  readonly call: ToolCall;
  /** The entry of the response that made it. */
  readonly entry: number;
  /** The how-manieth call with its id in that entry: 1, unless a server uses an id twice. */
  readonly count: number;
}

/**
 * Returns the calls without a result, in order. Only calls after the newest request: earlier ones were answered by a
 * placeholder in that request. Pairs by id and position, as flattening does.
 */
export function openCalls({ items }: { readonly items: readonly Item[] }): readonly FoundCall[] {
  const open: FoundCall[] = [];
  for (const item of items.slice(items.findLastIndex(({ kind }) => kind === "seal") + 1)) {
    if (item.kind !== "message") continue;
    const counts = new Map<string, number>();
    for (const block of item.blocks) {
      if (block.kind === "tool_call" && item.role === "assistant") {
        const count = (counts.get(block.id) ?? 0) + 1;
        counts.set(block.id, count);
        open.push({ call: block, entry: item.from, count });
      }
      if (block.kind !== "tool_result" || item.role !== "user") continue;
      const answered = open.findIndex(({ call }) => call.id === block.callId);
      if (answered >= 0) open.splice(answered, 1);
    }
  }
  return open;
}

import type { ToolCall } from "../log/block.ts";
import type { View } from "./view.ts";

/**
 * Returns the calls without a result, in order. Only calls after the newest request: earlier ones were answered by a
 * placeholder in that request. Pairs by id and position, as flattening does.
 */
export function openCalls({ items }: View): readonly ToolCall[] {
  const open: ToolCall[] = [];
  for (const item of items.slice(items.findLastIndex(({ kind }) => kind === "seal") + 1)) {
    if (item.kind !== "message") continue;
    for (const block of item.blocks) {
      if (block.kind === "tool_call" && item.role === "assistant") open.push(block);
      if (block.kind !== "tool_result" || item.role !== "user") continue;
      const answered = open.findIndex(({ id }) => id === block.callId);
      if (answered >= 0) open.splice(answered, 1);
    }
  }
  return open;
}

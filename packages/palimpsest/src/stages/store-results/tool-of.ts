import type { Item } from "../../view/item.ts";

/**
 * The tool that a call which no request has contained yet belongs to. A result that comes later than that has no tool of its
 * own any more: looking further would cost the whole view.
 */
export function toolOf(items: readonly Item[], callId: string): string | undefined {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]!;
    if (item.kind === "seal") return undefined;
    const call = item.blocks.findLast((block) => block.kind === "tool_call" && block.id === callId);
    if (call?.kind === "tool_call") return call.name;
  }
  return undefined;
}

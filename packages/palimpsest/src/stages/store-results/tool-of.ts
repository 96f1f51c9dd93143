import type { Item } from "../../view/item.ts";

/**
 * Returns the tool of a call that no request has contained yet. For an older call the tool is undefined: searching
 * further would cost the whole view.
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

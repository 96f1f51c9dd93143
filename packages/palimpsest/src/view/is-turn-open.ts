import type { View } from "./view.ts";

/** Whether the model is still at work: the newest item is a tool result, not a message of the user. */
export function isTurnOpen({ items }: View): boolean {
  const last = items.findLast((item) => item.kind === "message" && item.attachment === undefined);
  return last?.kind === "message" && last.origin === "tool";
}

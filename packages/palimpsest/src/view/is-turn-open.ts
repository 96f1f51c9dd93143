import type { View } from "./view.ts";

/** The model is at work until it has answered: what came in last is a result, not words of the user. */
export function isTurnOpen({ items }: View): boolean {
  const last = items.findLast((item) => item.kind === "message" && item.attachment === undefined);
  return last?.kind === "message" && last.origin === "tool";
}

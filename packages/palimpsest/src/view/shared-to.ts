import type { Item } from "./item.ts";
import type { View } from "./view.ts";

/** Returns the newest entry up to which two views of one log are equal; 0 if they differ from the first item on. */
export function sharedTo({ items: left }: View, { items: right }: View): number {
  let shared = 0;
  for (const [index, item] of left.entries()) {
    if (!isSame(item, right[index])) break;
    shared = item.to;
  }
  return shared;
}

function isSame(left: Item, right: Item | undefined): boolean {
  if (right === undefined || left.kind !== right.kind || left.from !== right.from || left.to !== right.to) return false;
  if (left.kind === "seal" || right.kind === "seal") return true;
  return left.by === right.by && left.thinking === right.thinking;
}

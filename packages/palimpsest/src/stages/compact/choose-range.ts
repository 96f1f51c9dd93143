import type { Item, MessageItem } from "../../view/item.ts";
import { wholeFrom } from "../../view/kept-together.ts";

/** `full`: the whole conversation. `from`: a message and everything after it. `up_to`: everything before a message. */
export type CompactionPart =
  | { readonly variant: "full" }
  | { readonly variant: "from" | "up_to"; readonly entry: number };

export type ChosenRange =
  | {
      readonly kind: "fold";
      /** The compacted entries, both ends included. */
      readonly from: number;
      readonly to: number;
      readonly folded: readonly MessageItem[];
      /** The items that stay unchanged, before and after. */
      readonly kept: readonly MessageItem[];
      /** Messages of the user at the end that were not sent yet. */
      readonly pending: readonly MessageItem[];
    }
  | { readonly kind: "nothing"; readonly why: string };

/**
 * Chooses the items that a compaction replaces. Calls stay with their results, and the pieces of a response with each other. A
 * response whose calls are still to be run stays whole, with everything after it.
 * @param openAt the entry of that response, if there is one
 */
export function chooseRange(items: readonly Item[], part: CompactionPart, openAt?: number): ChosenRange {
  const openFrom = openAt === undefined ? -1 : items.findIndex(({ to }) => to >= openAt);
  const end = openFrom < 0 ? items.length : wholeFrom(items, openFrom);
  const pendingAt = Math.min(pendingFrom(items), end);
  const [first, wanted] = part.variant === "full" ? [0, pendingAt] : cutAt(items, part);
  const last = Math.max(first, Math.min(wanted, end));
  const folded = messagesOf(items.slice(first, last));
  // A summary of a summary would only lose information.
  if (!folded.some(({ origin, attachment }) => origin !== "summary" && attachment === undefined)) {
    return { kind: "nothing", why: "nothing that can be compacted was added since the last summary" };
  }
  return {
    kind: "fold",
    from: folded[0]!.from,
    to: folded.at(-1)!.to,
    folded,
    kept: messagesOf([...items.slice(0, first), ...items.slice(last)]),
    pending: messagesOf(items.slice(Math.max(pendingAt, last))),
  };
}

function cutAt(items: readonly Item[], part: Extract<CompactionPart, { entry: number }>): [number, number] {
  const at = items.findIndex(({ to }) => to >= part.entry);
  const cut = wholeFrom(items, at < 0 ? items.length : at);
  return part.variant === "from" ? [cut, items.length] : [0, cut];
}

/** The position after all messages of the model and all results. */
function pendingFrom(items: readonly Item[]): number {
  const isAnswer = (item: Item): boolean =>
    item.kind === "message" && (item.role === "assistant" || item.origin === "tool" || item.origin === "summary");
  return items.findLastIndex(isAnswer) + 1;
}

function messagesOf(items: readonly Item[]): readonly MessageItem[] {
  return items.filter((item) => item.kind === "message");
}

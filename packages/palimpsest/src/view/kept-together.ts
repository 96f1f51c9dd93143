import type { Item, MessageItem } from "./item.ts";

/**
 * Returns pairs of positions that must be kept together, the earlier first: a call and its result, the pieces of one response
 * (its thinking is bound to them), and the items that one decision placed together.
 */
export function tiesOf(items: readonly Item[]): readonly (readonly [number, number])[] {
  const ties: [number, number][] = [];
  const tie = (one: number, other: number): void => {
    ties.push(one < other ? [one, other] : [other, one]);
  };
  const firstOfResponse = new Map<string, number>();
  // As in flattening, a call is answered before the next request, by position and id, because ids are not always unique. A
  // later result is sent as text and needs no call.
  let openCalls = new Map<string, number[]>();
  let openResults = new Map<string, number[]>();
  let previous: MessageItem | undefined;

  for (const [at, item] of items.entries()) {
    if (item.kind === "seal") {
      openCalls = new Map();
      openResults = new Map();
      previous = undefined;
      continue;
    }
    if (item.responseId !== undefined) {
      const first = firstOfResponse.get(item.responseId);
      if (first === undefined) firstOfResponse.set(item.responseId, at);
      else tie(first, at);
    }
    if (previous !== undefined && isSameMessage(previous, item)) tie(at - 1, at);
    for (const block of item.blocks) {
      if (block.kind === "tool_call") pair(block.id, at, openCalls, openResults, tie);
      // A piece of a response may be recorded after the result of its call.
      if (block.kind === "tool_result") pair(block.callId, at, openResults, openCalls, tie);
    }
    previous = item;
  }
  return ties;
}

/** Moves a cut back until no pair spans it, but not before `floor`. */
export function wholeFrom(items: readonly Item[], cutAt: number, floor = 0): number {
  let cut = cutAt;
  // From the back: items that a moved cut takes in may belong to even earlier ones.
  for (const [earlier, later] of tiesOf(items.slice(floor)).toSorted(([, one], [, other]) => other - one)) {
    if (later + floor >= cut) cut = Math.min(cut, earlier + floor);
  }
  return cut;
}

type Open = Map<string, number[]>;

/** Pairs with the earliest counterpart that is still alone, or waits for one. */
function pair(id: string, at: number, own: Open, counterparts: Open, tie: (one: number, other: number) => void): void {
  const counterpart = counterparts.get(id)?.shift();
  if (counterpart !== undefined) tie(counterpart, at);
  else own.set(id, [...(own.get(id) ?? []), at]);
}

/** Neighbors without a distinction: parts of one replacement, or of a response without an id. */
function isSameMessage(one: MessageItem, other: MessageItem): boolean {
  if (one.by !== undefined && one.by === other.by && one.from === other.from) return true;
  const isUnnamed = one.responseId === undefined && other.responseId === undefined;
  return isUnnamed && one.role === "assistant" && other.role === "assistant";
}

// Finds the items that a cut or a decision must not separate.

import type { Item, MessageItem } from "./view.ts";

/**
 * Returns pairs of positions that belong together, the earlier position first: a call and its result, the pieces of one response
 * (its thinking is bound to them), and the items of one replacement.
 */
export function tiesOf(items: readonly Item[]): readonly (readonly [number, number])[] {
  const ties: [number, number][] = [];
  const tie = (one: number, other: number): void => {
    ties.push(one < other ? [one, other] : [other, one]);
  };
  const firstOfResponse = new Map<string, number>();
  // Pairs a call with its result before the next request, by position and id, as flattening does: ids are not always unique. A
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

type Open = Map<string, number[]>;

/** Ties a call or result to its earliest counterpart without a pair, or keeps it until a counterpart comes. */
function pair(id: string, at: number, own: Open, counterparts: Open, tie: (one: number, other: number) => void): void {
  const counterpart = counterparts.get(id)?.shift();
  if (counterpart !== undefined) tie(counterpart, at);
  else own.set(id, [...(own.get(id) ?? []), at]);
}

/** Whether neighbors are parts of one replacement, or of a response without an id. */
function isSameMessage(one: MessageItem, other: MessageItem): boolean {
  if (one.by !== undefined && one.by === other.by && one.from === other.from) return true;
  const isUnnamed = one.responseId === undefined && other.responseId === undefined;
  return isUnnamed && one.role === "assistant" && other.role === "assistant";
}

/** Moves a cut back until it separates no pair, but not before `floor`. */
export function wholeFrom(items: readonly Item[], cutAt: number, floor = 0): number {
  let cut = cutAt;
  // Goes backward, because items after a moved cut may belong to even earlier items.
  for (const [earlier, later] of tiesOf(items.slice(floor)).toSorted(([, one], [, other]) => other - one)) {
    if (later + floor >= cut) cut = Math.min(cut, earlier + floor);
  }
  return cut;
}

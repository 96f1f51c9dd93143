import type { HeadDigests } from "../wire/read-request.ts";
import type { Followed, Relation, Thread, ThreadItem } from "./thread.ts";

/**
 * Finds the thread of a session that a request follows. Undefined: none, so that it begins a thread. Decides by digests alone: where two
 * threads would do equally well, neither is taken.
 */
export function followThread(
  threads: readonly Thread[],
  { items, head }: { readonly items: readonly ThreadItem[]; readonly head: HeadDigests },
): Followed | undefined {
  const isContinued = (before: readonly ThreadItem[]): boolean =>
    before.length > 0 && commonLength(before, items) === before.length;
  const continued = threads.filter((thread) => isContinued(thread.items) && mayContinue(thread.head, head, items));
  if (continued.length > 0) {
    const longest = Math.max(...continued.map((thread) => thread.items.length));
    const equal = continued.filter((one) => one.items.length === longest);
    const thread = only(equal) ?? only(equal.filter((one) => isSameHead(one.head, head)));
    return thread && { thread, relation: { kind: "continues", kept: longest } };
  }
  if (threads.some(({ left = [] }) => isContinued(left))) return undefined;
  const thread = only(threads.filter((one) => isSameHead(one.head, head)));
  return thread && { thread, relation: relate(thread.items, items) };
}

/**
 * The same question may be asked with another system prompt and other tools, for example for a title. Where one of both has changed, the
 * model's own words in the request show that it is the same conversation.
 */
function mayContinue(before: HeadDigests, now: HeadDigests, items: readonly ThreadItem[]): boolean {
  if (isSameHead(before, now)) return true;
  const isHalf = before.system === now.system || before.tools === now.tools;
  return isHalf && items.some(({ origin }) => origin === "model");
}

function relate(before: readonly ThreadItem[], now: readonly ThreadItem[]): Relation {
  const kept = commonLength(before, now);
  const calls = clearedCalls(before, now);
  if (calls !== undefined && calls.length > 0) return { kind: "cleared", kept: before.length, calls };
  return kept === 0 ? { kind: "replaced" } : { kind: "branches", kept };
}

/** The calls whose results are different now, if nothing else is. */
function clearedCalls(before: readonly ThreadItem[], now: readonly ThreadItem[]): readonly string[] | undefined {
  if (now.length < before.length) return undefined;
  const changed: string[] = [];
  for (const [index, item] of before.entries()) {
    const other = now[index]!;
    if (item.digest === other.digest) continue;
    if (item.answers.length === 0 || item.answers.join("\n") !== other.answers.join("\n")) return undefined;
    changed.push(...item.answers);
  }
  return changed;
}

function commonLength(one: readonly ThreadItem[], other: readonly ThreadItem[]): number {
  const at = one.findIndex((item, index) => item.digest !== other[index]?.digest);
  return at === -1 ? one.length : at;
}

function isSameHead(one: HeadDigests, other: HeadDigests): boolean {
  return one.system === other.system && one.tools === other.tools;
}

function only<Value>(values: readonly Value[]): Value | undefined {
  return values.length === 1 ? values[0] : undefined;
}

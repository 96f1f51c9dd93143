import type { Block } from "../log/block.ts";
import type { Replacement, ReplacePayload } from "../log/payload.ts";
import type { Item, MessageItem } from "../view/item.ts";
import { tiesOf } from "../view/kept-together.ts";

/** A range of messages, or one block of one message. */
export type SnipTarget =
  | { readonly from: number; readonly to: number }
  | { readonly entry: number /** Counted from 0. */; readonly block: number };

export interface SnipReason {
  readonly reason: string;
  /** Whether the model can recall what is taken out. */
  readonly recall: "offered" | "missing";
}

/** Removes a range from the view: a wrong turn, a bad image, a huge paste. Undefined if no part of it is shown. */
export function planSnip(items: readonly Item[], target: SnipTarget, why: SnipReason): ReplacePayload | undefined {
  return "block" in target ? snipBlock(items, target, why) : snipRange(items, target, why);
}

/** Pairs stay together: no call is left without its result, no result without its call. */
function snipRange(
  items: readonly Item[],
  range: { readonly from: number; readonly to: number },
  { reason, recall }: SnipReason,
): ReplacePayload | undefined {
  let first = items.findIndex(({ to }) => to >= range.from);
  let last = items.findLastIndex(({ from }) => from <= range.to);
  if (first < 0 || last < first) return undefined;
  const ties = tiesOf(items);
  for (let grown = true; grown; ) {
    const tied = ties.filter(([one, other]) => one <= last && other >= first && (one < first || other > last));
    grown = tied.length > 0;
    for (const [one, other] of tied) [first, last] = [Math.min(first, one), Math.max(last, other)];
  }
  const snipped = items.slice(first, last + 1).filter((item): item is MessageItem => item.kind === "message");
  if (snipped.length === 0) return undefined;
  const [from, to] = [snipped[0]!.from, snipped.at(-1)!.to];
  const text = `[Taken out: ${snipped.length} messages (entries ${from} to ${to}). ${reason}.${recall === "offered" ? " Recall an entry to read it." : ""}]`;
  return { from, to, with: [stub(text)], reason: `snipped: ${reason}` };
}

function snipBlock(
  items: readonly Item[],
  { entry, block: index }: { readonly entry: number; readonly block: number },
  { reason, recall }: SnipReason,
): ReplacePayload | undefined {
  const item = items.find((one): one is MessageItem => one.kind === "message" && one.from <= entry && entry <= one.to);
  const block = item?.blocks[index];
  if (item === undefined || block === undefined) return undefined;
  const text = `[Taken out: ${block.kind} of entry ${entry}. ${reason}.${recall === "offered" ? ` Recall entry ${entry} to read it.` : ""}]`;
  const { role, origin, provenance, from, to } = item;
  const known = provenance === undefined ? {} : { provenance };
  const blocks = item.blocks.map((one, at) => (at === index ? inPlaceOf(one, text) : one));
  return { from, to, with: [{ role, origin, ...known, blocks }], reason: `snipped: ${reason}` };
}

/** A result remains the answer to its call. */
function inPlaceOf(block: Block, text: string): Block {
  return block.kind === "tool_result" ? { ...block, content: text } : { kind: "text", text };
}

function stub(text: string): Replacement {
  return { role: "user", origin: "host", blocks: [{ kind: "text", text }] };
}

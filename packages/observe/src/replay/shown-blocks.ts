import type { Shown } from "./need-check.ts";
import { textOf } from "./needs.ts";
import type { RecordedItem } from "./recording.ts";
import { type WireBlock, wordsOf } from "./wire-words.ts";

/** Finds the recording again in the blocks of a request. */
export interface ShownBlocks {
  /** A call was made under this id: its words are part of the one item, its result is the other. */
  knowCall(id: string, item: number): void;
  knowResult(id: string, item: number): void;
  shownBy(messages: readonly { readonly content: unknown }[]): Iterable<Shown>;
}

export function createShownBlocks(items: readonly RecordedItem[]): ShownBlocks {
  const itemsByText = new Map<string, number[]>();
  for (const { index, blocks } of items) {
    for (const block of blocks) {
      if (block.kind === "text") itemsByText.set(block.text, [...(itemsByText.get(block.text) ?? []), index]);
    }
  }
  const [calls, results] = [new Map<string, number>(), new Map<string, number>()];
  // Blocks are the same objects from request to request, but for those that carry a mark.
  const known = new WeakMap<object, Shown>();

  function toShown(block: WireBlock): Shown {
    if (block.type === "tool_use") {
      const item = calls.get(String(block["id"]));
      return { kind: "items", items: item === undefined ? [] : [item] };
    }
    const text = wordsOf(block);
    const item = block.type === "tool_result" ? results.get(String(block["tool_use_id"])) : undefined;
    if (item !== undefined && textOf(items[item]!) === text) return { kind: "items", items: [item] };
    const same = block.type === "text" ? itemsByText.get(text) : undefined;
    return same === undefined ? { kind: "words", text } : { kind: "items", items: same };
  }

  return {
    knowCall: (id, item) => void calls.set(id, item),
    knowResult: (id, item) => void results.set(id, item),
    *shownBy(messages) {
      for (const { content } of messages) {
        for (const block of content as readonly WireBlock[]) {
          const shown = known.get(block) ?? toShown(block);
          known.set(block, shown);
          yield shown;
        }
      }
    },
  };
}

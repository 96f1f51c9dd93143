import { mediaIn, type ShownMedia } from "../stages/media/media-in.ts";
import type { Item } from "./item.ts";
import type { Configuration, View } from "./view.ts";

/** The size of the view in request bytes, updated from request to request. */
export interface ByteIndex {
  /**
   * Bytes of all messages, the system prompt and the tools, in our own form, which is close to the providers' forms.
   */
  readonly totalBytes: number;
  /** In the order in which the model sees them. */
  readonly media: readonly ShownMedia[];
  /** Adds new items; reads the whole view again only if an old item has changed. */
  update(view: View): void;
}

export function createByteIndex(): ByteIndex {
  let known: { readonly view: View | undefined; readonly changedAt: number } = { view: undefined, changedAt: 0 };
  let head: { readonly of: Configuration | undefined; readonly bytes: number } = { of: undefined, bytes: 0 };
  let itemCount = 0;
  let messageBytes = 0;
  let media: ShownMedia[] = [];
  return {
    get totalBytes() {
      return head.bytes + messageBytes;
    },
    get media() {
      return media;
    },
    update(view) {
      const { configuration } = view;
      if (head.of !== configuration) {
        head = { of: configuration, bytes: bytesOf([configuration?.system, configuration?.tools]) };
      }
      if (view !== known.view || view.changedAt !== known.changedAt) {
        [itemCount, messageBytes, media] = [0, 0, []];
        known = { view, changedAt: view.changedAt };
      }
      for (; itemCount < view.items.length; itemCount++) {
        const item = view.items[itemCount]!;
        messageBytes += itemBytes(item);
        media.push(...mediaIn([item]));
      }
    },
  };
}

function itemBytes(item: Item): number {
  return item.kind === "message" ? bytesOf(item.blocks) : 0;
}

/** Returns the size as JSON in UTF-8, as clients send it. */
function bytesOf(value: unknown): number {
  const json = JSON.stringify(value) ?? "";
  let bytes = json.length;
  // Media are base64, one byte per character: only non-ASCII text must be measured.
  for (const [run] of json.matchAll(/[^\0-\x7f]+/g))
    for (let at = 0; at < run.length; at++) bytes += furtherBytes(run.charCodeAt(at));
  return bytes;
}

/** The bytes of a UTF-16 unit beyond its first. The two units of a surrogate pair have four bytes together; JSON has no lone ones. */
function furtherBytes(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return unit < 0x800 || isSurrogate ? 1 : 2;
}

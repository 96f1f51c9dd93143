// Images and documents in the view: lists them, replaces them by text, and counts the bytes of a request.

import type { Block, Media, Part } from "../log/block.ts";
import type { Replacement } from "../log/payload.ts";
import type { Configuration, Item, MessageItem, View } from "./view.ts";

/** Returns the media of a view in the order in which the model sees them. */
export function mediaIn(items: readonly Item[]): readonly ShownMedia[] {
  return items.flatMap((item) =>
    item.kind === "message" ? mediaOf(item.blocks).map((media) => ({ item, media })) : [],
  );
}

/** An image or a document in the view: in a message, or in a tool result. */
export interface ShownMedia {
  readonly item: MessageItem;
  readonly media: Media;
}

/** Returns the media in blocks, including those in tool results. */
export function mediaOf(blocks: readonly Block[]): readonly Media[] {
  return blocks.flatMap((block): readonly Media[] => {
    if (block?.kind === "image" || block.kind === "document") return [block];
    return block?.kind === "tool_result" && Array.isArray(block.content) ? mediaOf(block.content) : [];
  });
}

/** Returns the replacement of a message, without some of its media. */
export function inPlaceOf(
  {
    role,
    origin,
    provenance,
    attachment,
    blocks,
  }: Pick<MessageItem, "role" | "origin" | "provenance" | "attachment" | "blocks">,
  textFor: (media: Media) => string | undefined,
): Replacement {
  return {
    role,
    origin,
    provenance,
    attachment,
    blocks: withoutMedia(blocks, textFor),
  };
}

/** Returns the blocks with text in place of some media. */
function withoutMedia(blocks: readonly Block[], textFor: (media: Media) => string | undefined): readonly Block[] {
  return blocks.map((block) => {
    if (block.kind === "tool_result" && typeof block.content !== "string") {
      return { ...block, content: withoutMedia(block.content, textFor) as readonly Part[] };
    }
    const text = block.kind === "image" || block.kind === "document" ? textFor(block) : undefined;
    return text === undefined ? block : { kind: "text", text };
  });
}

/** Returns the text that stands for omitted media. */
export function mediaStub(media: Media, why: string, entry: number): string {
  return `[${describe(media)} left out: ${why}. Entry ${entry} still has it.]`;
}

/** Describes the type and the size of media. */
function describe({ kind, source }: Media): string {
  if (source.kind === "url") return `${kind} at ${source.url}`;
  return `${kind} (${source.mediaType}, ${Math.floor((source.data.length * 3) / 4)} bytes)`;
}

/** Creates an index of the bytes and the media in a view. */
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

/** The size of the view in request bytes, updated from request to request. */
export interface ByteIndex {
  /** The bytes of all messages, the system prompt and the tools, as JSON in our own form, which is close to the providers' forms. */
  readonly totalBytes: number;
  /** The media in the order in which the model sees them. */
  readonly media: readonly ShownMedia[];
  /** Adds new items; reads the whole view again only if an old item has changed. */
  update(view: View): void;
}

function itemBytes(item: Item): number {
  return item.kind === "message" ? bytesOf(item.blocks) : 0;
}

/** Returns the size of a value as JSON in UTF-8, as clients send it. */
function bytesOf(value: unknown): number {
  const json = JSON.stringify(value) ?? "";
  let bytes = json.length;
  // Media are base64, one byte per character: only non-ASCII text must be measured.
  for (const [run] of json.matchAll(/[^\0-\x7f]+/g))
    for (let at = 0; at < run.length; at++) bytes += furtherBytes(run.charCodeAt(at));
  return bytes;
}

/** Returns the bytes of a UTF-16 unit after the first byte. A surrogate pair has four bytes; JSON contains no lone surrogates. */
function furtherBytes(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return unit < 0x800 || isSurrogate ? 1 : 2;
}

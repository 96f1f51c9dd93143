import type { Block, Media, Part } from "../../log/block.ts";
import type { Replacement } from "../../log/payload.ts";
import type { Item, MessageItem } from "../../view/item.ts";

/** An image or a document in the view: in a message, or in a tool result. */
export interface ShownMedia {
  readonly item: MessageItem;
  readonly media: Media;
}

/** Returns the media of a view in the order in which the model sees them. */
export function mediaIn(items: readonly Item[]): readonly ShownMedia[] {
  return items.flatMap((item) =>
    item.kind === "message" ? mediaOf(item.blocks).map((media) => ({ item, media })) : [],
  );
}

export function mediaOf(blocks: readonly Block[]): readonly Media[] {
  return blocks.flatMap((block): readonly Media[] => {
    if (block?.kind === "image" || block.kind === "document") return [block];
    return block?.kind === "tool_result" && Array.isArray(block.content) ? mediaOf(block.content) : [];
  });
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
    ...(provenance === undefined ? {} : { provenance }),
    ...(attachment === undefined ? {} : { attachment }),
    blocks: withoutMedia(blocks, textFor),
  };
}

/** Returns the text in place of omitted media. */
export function mediaStub(media: Media, why: string, entry: number): string {
  return `[${describe(media)} left out: ${why}. Entry ${entry} still has it.]`;
}

/** Describes type and size in a few words. */
function describe({ kind, source }: Media): string {
  if (source.kind === "url") return `${kind} at ${source.url}`;
  return `${kind} (${source.mediaType}, ${Math.floor((source.data.length * 3) / 4)} bytes)`;
}

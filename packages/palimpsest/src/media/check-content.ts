import type { Block, Media, Part } from "../log/block.ts";
import { checkMedia } from "../log/media-type.ts";
import type { AttachmentPayload, MessagePayload, ReplacePayload } from "../log/payload.ts";
import type { MediaRefused } from "../session-event.ts";
import { inPlaceOf, mediaOf, mediaStub } from "../view/media.ts";
import type { MessageItem } from "../view/view.ts";

/**
 * Checks images and documents by their bytes before they are sent, because one that the provider refuses would block the
 * conversation.
 */
export function checkContent<Content extends MessagePayload | AttachmentPayload>(
  content: Content,
  entry: number,
): CheckedContent<Content> {
  if (mediaOf(content.blocks).length === 0) return { content, decisions: [], newEvents: [] };
  const corrected = { ...content, blocks: content.blocks.map(correct) };
  const unreadable = new Map<Media, string>();
  for (const media of mediaOf(corrected.blocks)) {
    const checked = checkMedia(media);
    if (checked.kind === "unreadable") unreadable.set(media, checked.why);
  }
  if (unreadable.size === 0) return { content: corrected, decisions: [], newEvents: [] };
  const textFor = (media: Media): string | undefined => {
    const why = unreadable.get(media);
    return why === undefined ? undefined : mediaStub(media, why, entry);
  };
  const known = content.provenance === undefined ? {} : { provenance: content.provenance };
  const { blocks } = corrected;
  const item: Pick<MessageItem, "role" | "origin" | "provenance" | "attachment" | "blocks"> =
    "role" in content
      ? { role: content.role, origin: content.origin, blocks, ...known }
      : { role: "user", origin: "host", attachment: (content as AttachmentPayload).type, blocks, ...known };
  const reason = `media left out: ${[...unreadable.values()].join("; ")}`;
  return {
    content: corrected,
    decisions: [{ from: entry, to: entry, with: [inPlaceOf(item, textFor)], reason }],
    newEvents: [...unreadable].map(([media, why]) => ({
      kind: "media-refused",
      entry,
      media: media.kind,
      problem: "unreadable",
      by: "check",
      why,
    })),
  };
}

interface CheckedContent<Content> {
  /** The content, with media types corrected to match the bytes. */
  readonly content: Content;
  /** Decisions that show a stub for each unreadable image or document. The entry keeps the original. */
  readonly decisions: readonly ReplacePayload[];
  readonly newEvents: readonly MediaRefused[];
}

function correct(block: Block): Block {
  if (block.kind === "tool_result" && typeof block.content !== "string") {
    return { ...block, content: block.content.map(correct) as readonly Part[] };
  }
  if (block.kind !== "image" && block.kind !== "document") return block;
  const checked = checkMedia(block);
  return checked.kind === "corrected" ? checked.media : block;
}

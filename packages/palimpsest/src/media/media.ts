import type { Block, Media, Part } from "../log/block.ts";
import { checkMedia } from "../log/media-type.ts";
import type { AttachmentPayload, MessagePayload, ReplacePayload } from "../log/payload.ts";
import type { MediaRefusal } from "../providers/media-refusal.ts";
import type { MediaRefused } from "../session-event.ts";
import { inPlaceOf, mediaOf, mediaStub, type ShownMedia } from "../view/media.ts";
import type { MessageItem } from "../view/view.ts";

// Checks new media, finds the media that a provider refused, and replaces media by stubs.

/** Replaces media with stubs that say why. The entries keep the media, and `restore` shows them again. */
export function omitMedia(
  left: readonly ShownMedia[],
  { why, problem, by }: Pick<MediaRefused, "why" | "problem" | "by">,
): OmittedMedia {
  const byItem = Map.groupBy(left, ({ item }) => item);
  const decisions = [...byItem].map(([item, some]): ReplacePayload => {
    const gone = new Set<Media>(some.map(({ media }) => media));
    const textFor = (media: Media) => (gone.has(media) ? mediaStub(media, why, item.from) : undefined);
    return { from: item.from, to: item.to, with: [inPlaceOf(item, textFor)], reason: `media left out: ${why}` };
  });
  const newEvents = left.map(
    ({ item, media }): MediaRefused => ({
      kind: "media-refused",
      entry: item.from,
      media: media.kind,
      problem,
      by,
      why,
    }),
  );
  return { decisions, newEvents };
}

interface OmittedMedia {
  /** One decision per message, so that each can be undone. */
  readonly decisions: readonly ReplacePayload[];
  readonly newEvents: readonly MediaRefused[];
}

/**
 * Finds the media that a provider refused: those at the place that the refusal names; otherwise the newest that no answered
 * request contained. If there are too many, the older half. If the model accepts none, all media of that kind.
 */
export function findRefused(
  shown: readonly ShownMedia[],
  { problem, media: kind, place }: MediaRefusal,
  { body, acceptedTo }: RefusedRequest,
): readonly ShownMedia[] {
  const ofKind = shown.filter(({ media }) => media.kind === kind);
  const candidates = ofKind.length > 0 ? ofKind : shown;
  if (problem === "no-media") return candidates;
  const named = place === undefined ? undefined : blockAt(body, place);
  const atPlace = named === undefined ? [] : shown.filter(({ media }) => isIn(media, named));
  if (atPlace.length > 0) return atPlace;
  if (problem === "too-many") return candidates.slice(0, Math.ceil(candidates.length / 2));
  const fresh = candidates.filter(({ item }) => item.to > acceptedTo);
  return (fresh.length > 0 ? fresh : candidates).slice(-1);
}

interface RefusedRequest {
  /** The request that was sent. */
  readonly body: unknown;
  /** The newest answered request: the provider accepted all media up to it. */
  readonly acceptedTo: number;
}

/**
 * Returns the block at the place that a provider names (`messages.3.content.1.image.source`,
 * `input[3].content[1].image_url`), as JSON. Steps that are missing from the request are skipped, because some places also name
 * the type of a block.
 */
function blockAt(body: unknown, place: string): string | undefined {
  let at: unknown = body;
  let block: unknown;
  for (const step of place.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) continue;
    at = (at as Readonly<Record<string, unknown>>)[step];
    if (typeof at === "object" && at !== null && "type" in at) block = at;
  }
  return block === undefined ? undefined : JSON.stringify(block);
}

function isIn({ source }: Media, block: string): boolean {
  return block.includes(source.kind === "url" ? source.url : source.data);
}

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

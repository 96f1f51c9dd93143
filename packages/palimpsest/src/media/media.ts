// Media that no provider accepts, that a provider has refused, or that make a request too large, are shown as stubs.

import type { Block, Media, Part } from "../log/block.ts";
import { toDraft } from "../log/entry.ts";
import { checkMedia } from "../log/media-type.ts";
import type { AttachmentPayload, MessagePayload, Replacement, ReplacePayload } from "../log/payload.ts";
import type { MediaRefusal } from "../providers/media-refusal.ts";
import type { MediaRefused } from "../session-event.ts";
import { NOTHING_TO_DO, type StageDecision } from "../state/ports.ts";
import { grouped } from "../text.ts";
import type { Configuration, Item, MessageItem, View } from "../view/view.ts";

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

// ------------------------------------------------------------------------------------------------ too many bytes

/** Leaves out the oldest media of a request with too many bytes: providers limit bytes as well as tokens. */
export function fitBytes(bytes: ByteIndex, maxRequestBytes: number | undefined): StageDecision {
  if (maxRequestBytes === undefined || bytes.totalBytes <= maxRequestBytes * FILLED_SHARE) return NOTHING_TO_DO;
  const left = planByteFit(bytes.media, bytes.totalBytes - maxRequestBytes * FREED_SHARE);
  if (left.length === 0) return NOTHING_TO_DO;
  const size = `${grouped(bytes.totalBytes)} bytes of ${grouped(maxRequestBytes)} that the provider takes`;
  const why = `the request had ${size}`;
  const { decisions, newEvents } = omitMedia(left, { why, problem: "too-large", by: "request-size" });
  return { drafts: decisions.map((one) => toDraft("replace", one)), newEvents };
}

/** The share of the limit that a request may fill. The provider's format of a request differs from ours by some bytes. */
const FILLED_SHARE = 0.97;
/** The share of the limit that is left in use. Each omission loses the cached prompt from that item on, so make room for later media. */
const FREED_SHARE = 0.75;

/** Returns the oldest media that together have at least this many bytes; all media if they have fewer. */
export function planByteFit(media: readonly ShownMedia[], excessBytes: number): readonly ShownMedia[] {
  const left: ShownMedia[] = [];
  let excess = excessBytes;
  for (const one of media) {
    if (excess <= 0) break;
    const bytes = dataBytesOf(one.media);
    if (bytes === 0) continue;
    left.push(one);
    excess -= bytes;
  }
  return left;
}

function dataBytesOf({ source }: Media): number {
  return source.kind === "base64" ? source.data.length : 0;
}

// ------------------------------------------------------------------------------------------------ media in the view

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
function mediaOf(blocks: readonly Block[]): readonly Media[] {
  return blocks.flatMap((block): readonly Media[] => {
    if (block?.kind === "image" || block.kind === "document") return [block];
    return block?.kind === "tool_result" && Array.isArray(block.content) ? mediaOf(block.content) : [];
  });
}

/** Returns the replacement of a message, without some of its media. */
function inPlaceOf(
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
function mediaStub(media: Media, why: string, entry: number): string {
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

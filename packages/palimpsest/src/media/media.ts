// Finds the media that a provider refused, and replaces them by stubs.

import type { Media } from "../log/block.ts";
import type { ReplacePayload } from "../log/payload.ts";
import type { MediaRefusal } from "../providers/media-refusal.ts";
import type { MediaRefused } from "../session-event.ts";
import { inPlaceOf, mediaStub, type ShownMedia } from "../view/media.ts";

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

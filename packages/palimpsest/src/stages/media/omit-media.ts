import type { Media } from "../../log/block.ts";
import type { ReplacePayload } from "../../log/payload.ts";
import type { MediaRefused } from "../../session-event.ts";
import { inPlaceOf, mediaStub, type ShownMedia } from "./media-in.ts";

export interface OmittedMedia {
  /** One decision per message, so that each can be undone. */
  readonly decisions: readonly ReplacePayload[];
  readonly newEvents: readonly MediaRefused[];
}

/** Replaces media by stubs that say why. The entries keep the media, and `restore` shows them again. */
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

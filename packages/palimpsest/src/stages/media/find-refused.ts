import type { Media } from "../../log/block.ts";
import type { MediaRefusal } from "../../providers/media-refusal.ts";
import type { ShownMedia } from "./media-in.ts";

export interface RefusedRequest {
  /** The request as it was sent. */
  readonly body: unknown;
  /** The newest request that was answered: media up to it were taken before. */
  readonly acceptedTo: number;
}

/**
 * Which media a refusal is about: those at the place that it names; else, of those that no answered request has contained,
 * the newest. Of too many, the older half; all of a kind where the model takes none.
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

/**
 * The block at a place as providers name it (`messages.3.content.1.image.source`, `input[3].content[1].image_url`), as JSON.
 * Steps that are not in the request are passed over: some name the type of a block, too.
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

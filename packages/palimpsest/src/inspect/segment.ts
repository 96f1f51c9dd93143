// Segments: the parts of a request, each from one place.

import type { Block } from "../log/block.ts";
import { type Place, placeOf } from "../view/account.ts";
import type { MessageItem } from "../view/view.ts";

/** A part of a request that comes from one place. */
export interface Segment {
  /** The range of characters in the request's body; `to` is not included. */
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly place: SegmentPlace;
  /** The name of the tool, or the type of the attachment. */
  readonly name?: string;
  /** The entry that holds the content; absent for settings and for the engine's own texts. */
  readonly entry?: number;
  /** The entries that the content replaces, if a decision placed it there. */
  readonly standsFor?: { readonly from: number; readonly to: number };
  /** An estimate, with the calibration of the session at the time of the request. */
  readonly tokens: number;
  /** `end`: the segment ends with a cache mark. */
  readonly mark?: "end";
  /** The text without cache marks. Requests are compared by this text. */
  readonly plain: string;
}

/** The origin of a segment. `placeholder`: one of the engine's own texts, without which a message would be invalid. */
export type SegmentPlace = ContentPlace | "system" | "tools" | "settings" | "placeholder";

/** The origin of content. A summary has its own place, although it is sent as a user message. */
export type ContentPlace = Place | "summary";

/** Returns the place of one block of a message. */
export function contentPlaceOf(block: Block, item: MessageItem): ContentPlace {
  const place = placeOf(block, item);
  return item.origin === "summary" && (place === "human" || place === "assistant") ? "summary" : place;
}

/** Whether a segment is part of the prompt, which the provider counts and caches. */
export function isPrompt({ place }: Pick<Segment, "place">): boolean {
  return place !== "settings";
}

/** Returns the prompt's segments in the order in which providers read and cache them: tools, system prompt, messages. */
export function inPromptOrder(segments: readonly Segment[]): readonly Segment[] {
  const of = (...places: readonly SegmentPlace[]): readonly Segment[] =>
    segments.filter(({ place }) => places.includes(place));
  const rest = segments.filter((one) => isPrompt(one) && one.place !== "tools" && one.place !== "system");
  return [...of("tools"), ...of("system"), ...rest];
}

// A segment: a part of a request that comes from one place.
import type { Block } from "../log/block.ts";
import { type Place, placeOf } from "../view/account.ts";
import type { MessageItem } from "../view/view.ts";

/** A part of a request that comes from one place. */
export interface Segment {
  /** Its text in the request's body: characters from the beginning, the last one not included. */
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly place: SegmentPlace;
  /** The tool, or the type of attachment. */
  readonly name?: string;
  /** The entry that holds the content; absent for settings and for texts of the engine. */
  readonly entry?: number;
  /** The entries that the content stands for, if a decision placed it there. */
  readonly standsFor?: { readonly from: number; readonly to: number };
  /** An estimate, by what the session had learned when it made the request. */
  readonly tokens: number;
  /** `end`: a cache mark stands at its end. */
  readonly mark?: "end";
  /** Its text without cache marks: two requests are compared by it. */
  readonly plain: string;
}

/** Where a segment comes from. `placeholder`: the engine wrote it, where a message would have been invalid without it. */
export type SegmentPlace = ContentPlace | "system" | "tools" | "settings" | "placeholder";

/** Where content of the conversation comes from. A summary is told apart from the user's messages: it is sent as one of them. */
export type ContentPlace = Place | "summary";

/** The place of one block of a message. */
export function contentPlaceOf(block: Block, item: MessageItem): ContentPlace {
  const place = placeOf(block, item);
  return item.origin === "summary" && (place === "human" || place === "assistant") ? "summary" : place;
}

/** Whether a segment is part of the prompt, which the provider counts and caches. */
export function isPrompt({ place }: Pick<Segment, "place">): boolean {
  return place !== "settings";
}

/** The segments in the order in which providers read and cache them: tools, system prompt, messages. */
export function inPromptOrder(segments: readonly Segment[]): readonly Segment[] {
  const of = (...places: readonly SegmentPlace[]): readonly Segment[] =>
    segments.filter(({ place }) => places.includes(place));
  const rest = segments.filter((one) => isPrompt(one) && one.place !== "tools" && one.place !== "system");
  return [...of("tools"), ...of("system"), ...rest];
}

import type { Block } from "../log/block.ts";
import { type Place, placeOf } from "../view/account.ts";
import type { MessageItem } from "../view/item.ts";

/** Where content of the conversation comes from. A summary is told apart from the user's messages: it is sent as one of them. */
export type ContentPlace = Place | "summary";

/** The place of one block of a message. */
export function contentPlaceOf(block: Block, item: MessageItem): ContentPlace {
  const place = placeOf(block, item);
  return item.origin === "summary" && (place === "human" || place === "assistant") ? "summary" : place;
}

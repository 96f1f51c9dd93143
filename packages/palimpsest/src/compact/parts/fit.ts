// Helpers for `render`: items that fit into the room of a part, as texts.

import type { Provenance } from "../../log/provenance.ts";
import type { LoadedItem, PartText, Room } from "../../policy/policy.ts";

interface FitOptions {
  /** The line above the first text. */
  readonly heading: string;
  /** How to read the rest of an item that is cut. */
  readonly rest: (item: LoadedItem) => string;
  /** The limit of one item. @default the room */
  readonly eachTokens?: number | undefined;
}

/** Shows items in order while they fit, and cuts the item that does not. Neighbors from one source are one text. */
export function fitItems(
  items: readonly LoadedItem[],
  room: Room,
  { heading, rest, eachTokens }: FitOptions,
): PartText[] {
  const texts: PartText[] = [];
  // A count of a short text is mostly the frame of a message, which the items share.
  const frame = room.count("");
  let left = room.tokens - room.count(`${heading}\n`);
  for (const item of items) {
    const most = Math.min(left, eachTokens ?? left);
    const tokens = room.count(`${item.text}\n`) - frame;
    const text = tokens <= most ? item.text : room.cut(item.text, most, rest(item));
    if (text === undefined) continue;
    left -= text === item.text ? tokens : room.count(`${text}\n`) - frame;
    const last = texts.at(-1);
    if (last !== undefined && isSame(last.provenance, item.provenance)) {
      texts[texts.length - 1] = { ...last, text: `${last.text}\n${text}` };
    } else {
      texts.push({ heading: texts.length === 0 ? heading : "", text, provenance: item.provenance });
    }
  }
  return texts;
}

interface FitEachOptions {
  readonly heading: (item: LoadedItem) => string;
  readonly rest: (item: LoadedItem) => string;
  readonly eachTokens?: number | undefined;
  /** The type of attachment. @default part of the summary's message */
  readonly attachment?: ((item: LoadedItem) => string) | undefined;
}

/** The same, with a heading for each item. */
export function fitEach(items: readonly LoadedItem[], room: Room, options: FitEachOptions): PartText[] {
  const texts: PartText[] = [];
  let left = room.tokens;
  for (const item of items) {
    const heading = options.heading(item);
    const most = Math.min(left, options.eachTokens ?? left) - room.count(`${heading}\n`);
    const text = item.tokens <= most ? item.text : room.cut(item.text, most, options.rest(item));
    if (text === undefined) continue;
    left -= room.count(`${heading}\n${text}`);
    texts.push({ heading, text, provenance: item.provenance, attachment: options.attachment?.(item) });
  }
  return texts;
}

function isSame(one: Provenance, other: Provenance): boolean {
  return one.kind === other.kind && nameOf(one) === nameOf(other);
}

function nameOf(provenance: Provenance): string | undefined {
  return "name" in provenance ? provenance.name : undefined;
}

/** How to read an item back from the log. */
export function recallEntry({ entry }: LoadedItem): string {
  return entry === undefined ? "search with recall" : `recall entry ${entry}`;
}

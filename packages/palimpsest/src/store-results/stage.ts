import type { ReplacePayload } from "../log/payload.ts";
import type { ResultStored } from "../session-event.ts";
import type { StoringFailure } from "../stages/store-results/content.ts";
import { resultOf, textOf, withText } from "../stages/store-results/message-text.ts";
import { storeText } from "../stages/store-results/store-text.ts";
import {
  PREVIEW_FRAME_CHARACTERS,
  type StoringOptions,
  type StoringSettings,
  settingsOf,
  thresholdOf,
} from "../stages/store-results/storing-options.ts";
import { toolOf } from "../stages/store-results/tool-of.ts";
import type { ResultFiles } from "../stores/results.ts";
import { grouped } from "../text.ts";
import type { Item, MessageItem } from "../view/item.ts";
import { previewOf } from "./store.ts";

/** A result to store. */
export interface AggregatePick {
  readonly item: MessageItem;
  readonly tool: string | undefined;
  readonly characters: number;
}

/** The room of the window for the results of one round. */
export interface RoundRoom {
  readonly tokensOf: (item: MessageItem) => number;
  readonly mostTokens: number;
}

const AS_MUCH_AS_COMES: RoundRoom = { tokensOf: () => 0, mostTokens: Number.POSITIVE_INFINITY };

/**
 * Plans which results of the next request to store so that all results fit together: the largest first, and the
 * earliest of equal ones. Only results that no request has contained yet: a result that was sent complete stays
 * complete. Results of bounded tools come last, and only if the round would otherwise exceed its room in the window.
 */
export function planAggregate(
  items: readonly Item[],
  settings: StoringSettings,
  { tokensOf, mostTokens }: RoundRoom = AS_MUCH_AS_COMES,
): readonly AggregatePick[] {
  const shownCharacters = settings.previewCharacters + PREVIEW_FRAME_CHARACTERS;
  const results = itemsBehindSeal(items).filter((item) => resultOf(item) !== undefined);
  const sizes = results.map((item) => ({ item, characters: textOf(item).length }));
  const largestFirst = sizes
    .toSorted((one, other) => other.characters - one.characters)
    .filter(({ item, characters }) => characters > shownCharacters && item.by === undefined && item.from === item.to)
    .map((size) => ({ ...size, tool: toolOf(items, resultOf(size.item)!.callId) }));
  const isBounded = ({ tool }: AggregatePick): boolean => thresholdOf(tool, settings) === Number.POSITIVE_INFINITY;
  let characters = sizes.reduce((sum, size) => sum + size.characters, 0);
  let tokens = results.reduce((sum, item) => sum + tokensOf(item), 0);
  const picks: AggregatePick[] = [];
  const pick = (one: AggregatePick): void => {
    picks.push(one);
    characters -= one.characters - shownCharacters;
    tokens -= tokensOf(one.item) * (1 - shownCharacters / one.characters);
  };
  for (const one of largestFirst.filter((size) => !isBounded(size))) {
    if (characters > settings.aggregateCharacters || tokens > mostTokens) pick(one);
  }
  for (const one of largestFirst.filter(isBounded)) if (tokens > mostTokens) pick(one);
  return picks;
}

export interface StoreAggregateOptions extends StoringOptions {
  readonly files: ResultFiles;
  readonly session: string;
  /** @default unlimited */
  readonly room?: RoundRoom;
}

export interface StoredAggregate {
  readonly decisions: readonly ReplacePayload[];
  readonly stored: readonly ResultStored[];
  readonly failures: readonly StoringFailure[];
}

/** Stores the planned results before a request. Append the returned decisions before the request. */
export async function storeAggregate(items: readonly Item[], options: StoreAggregateOptions): Promise<StoredAggregate> {
  const settings = settingsOf(options);
  const decisions: ReplacePayload[] = [];
  const stored: ResultStored[] = [];
  const failures: StoringFailure[] = [];
  for (const { item, tool, characters } of planAggregate(items, settings, options.room)) {
    const { from, to, role, origin, provenance, blocks } = item;
    const known = provenance === undefined ? {} : { provenance };
    const { files, session } = options;
    const content = await storeText(textOf(item), { files, session, previewCharacters: settings.previewCharacters });
    if (content.kind === "cut") {
      // The result is in the log, and stays complete in the request.
      failures.push({ ...content.failure, keptCharacters: characters, shown: "all" });
      continue;
    }
    const preview = previewOf(content, { ...options, entry: from, tool }, settings);
    const reason = `stored: ${grouped(characters)} characters, as ${limitText(settings, options.room)}`;
    decisions.push({ from, to, with: [{ role, origin, ...known, blocks: withText(blocks, preview) }], reason });
    const { bytes } = content.stored;
    stored.push({
      kind: "result-stored",
      entry: from,
      ...(tool === undefined ? {} : { tool }),
      bytes,
      way: "together",
    });
  }
  return { decisions, stored, failures };
}

function limitText({ aggregateCharacters }: StoringSettings, room: RoundRoom = AS_MUCH_AS_COMES): string {
  const limit = `the results of one request may have ${grouped(aggregateCharacters)}`;
  return room.mostTokens === Number.POSITIVE_INFINITY ? limit : `${limit}, and ${grouped(room.mostTokens)} tokens`;
}

function itemsBehindSeal(items: readonly Item[]): readonly MessageItem[] {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.slice(seal + 1) as readonly MessageItem[];
}

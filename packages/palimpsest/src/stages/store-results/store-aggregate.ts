import type { ReplacePayload } from "../../log/payload.ts";
import type { ResultStored } from "../../session-event.ts";
import type { ResultFiles } from "../../stores/results.ts";
import type { Item, MessageItem } from "../../view/item.ts";
import type { StoringFailure } from "./content.ts";
import { resultOf, textOf, withText } from "./message-text.ts";
import { grouped } from "./preview.ts";
import { previewOf } from "./store-message.ts";
import { storeText } from "./store-text.ts";
import {
  PREVIEW_FRAME_CHARACTERS,
  type StoringOptions,
  type StoringSettings,
  settingsOf,
  thresholdOf,
} from "./storing-options.ts";
import { toolOf } from "./tool-of.ts";

/** A result that is to be stored. */
export interface AggregatePick {
  readonly item: MessageItem;
  readonly tool: string | undefined;
  readonly characters: number;
}

/**
 * Which results of the coming request are to be stored, so that all of them together fit: the largest first, of those of one
 * size the earliest. Only what no request has contained yet: what went out whole stays whole.
 */
export function planAggregate(items: readonly Item[], settings: StoringSettings): readonly AggregatePick[] {
  const shownCharacters = settings.previewCharacters + PREVIEW_FRAME_CHARACTERS;
  const results = itemsBehindSeal(items).filter((item) => resultOf(item) !== undefined);
  const sizes = results.map((item) => ({ item, characters: textOf(item).length }));
  let total = sizes.reduce((sum, { characters }) => sum + characters, 0);
  const picks: AggregatePick[] = [];
  for (const { item, characters } of sizes.toSorted((one, other) => other.characters - one.characters)) {
    if (total <= settings.aggregateCharacters || characters <= shownCharacters) break;
    const tool = toolOf(items, resultOf(item)!.callId);
    const isPlain = item.by === undefined && item.from === item.to;
    if (!isPlain || thresholdOf(tool, settings) === Number.POSITIVE_INFINITY) continue;
    picks.push({ item, tool, characters });
    total -= characters - shownCharacters;
  }
  return picks;
}

export interface StoreAggregateOptions extends StoringOptions {
  readonly files: ResultFiles;
  readonly session: string;
}

export interface StoredAggregate {
  readonly decisions: readonly ReplacePayload[];
  readonly stored: readonly ResultStored[];
  readonly failures: readonly StoringFailure[];
}

/** Stores what has to be stored before a request is made; the decisions are to be appended before it. */
export async function storeAggregate(items: readonly Item[], options: StoreAggregateOptions): Promise<StoredAggregate> {
  const settings = settingsOf(options);
  const decisions: ReplacePayload[] = [];
  const stored: ResultStored[] = [];
  const failures: StoringFailure[] = [];
  for (const { item, tool, characters } of planAggregate(items, settings)) {
    const { from, to, role, origin, blocks } = item;
    const { files, session } = options;
    const content = await storeText(textOf(item), { files, session, previewCharacters: settings.previewCharacters });
    if (content.kind === "cut") {
      failures.push(content.failure);
      continue;
    }
    const preview = previewOf(content, { ...options, entry: from, tool }, settings);
    const limit = grouped(settings.aggregateCharacters);
    const reason = `stored: ${grouped(characters)} characters, as the results of one request may have ${limit}`;
    decisions.push({ from, to, with: [{ role, origin, blocks: withText(blocks, preview) }], reason });
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

function itemsBehindSeal(items: readonly Item[]): readonly MessageItem[] {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.slice(seal + 1) as readonly MessageItem[];
}

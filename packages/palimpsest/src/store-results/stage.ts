// The stage that stores results before a request if the results of one round are too large together.

import { toDraft } from "../log/draft.ts";
import type { Draft } from "../log/entry.ts";
import type { ReplacePayload, ToolDefinition } from "../log/payload.ts";
import { NOTHING_TO_DO, type StageContext, type StageDecision } from "../policy/stage.ts";
import { recallOf } from "../recall/recall.ts";
import type { ResultStored, StoringFailed } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { estimateTokens } from "../size/calibration.ts";
import type { ResultFiles } from "../stores/store.ts";
import { grouped } from "../text.ts";
import { headTools } from "../view/tool-search.ts";
import type { Item, MessageItem } from "../view/view.ts";
import { resultOf, type StoringFailure, textOf, withText } from "./preview.ts";
import {
  PREVIEW_FRAME_CHARACTERS,
  previewOf,
  type StoringOptions,
  type StoringSettings,
  settingsOf,
  storeText,
  thresholdOf,
  toolOf,
} from "./store.ts";

/** Stores the largest results of a round that is too large, until the rest fits. */
export async function storeOversized(context: StageContext): Promise<StageDecision> {
  const { session, view, settings, files, budget } = context;
  if (settings["toolResults.storing"] === "off") return NOTHING_TO_DO;
  const room = {
    tokensOf: (item: MessageItem) => estimateTokens(view.calibration, item.features),
    mostTokens: Math.floor(budget.autoCompactTokens * ROUND_SHARE),
  };
  const options = { ...storingOptions(settings, view.configuration?.tools), files, session, room };
  const { decisions, stored, failures } = await storeAggregate(view.items, options);
  return {
    drafts: [...decisions.map((decision) => toDraft("replace", decision)), ...failures.map(failureNotice)],
    newEvents: [...stored, ...failures.map(storingFailed)],
  };
}

/** The share of the tokens before a compaction that the results of one round may take. A compaction would remove larger results. */
const ROUND_SHARE = 0.5;

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
      // The log contains the result, which stays complete in the request.
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
      tool,
      bytes,
      way: "together",
    });
  }
  return { decisions, stored, failures };
}

interface StoreAggregateOptions extends StoringOptions {
  readonly files: ResultFiles;
  readonly session: string;
  /** @default unlimited */
  readonly room?: RoundRoom;
}

interface StoredAggregate {
  readonly decisions: readonly ReplacePayload[];
  readonly stored: readonly ResultStored[];
  readonly failures: readonly StoringFailure[];
}

function limitText({ aggregateCharacters }: StoringSettings, room: RoundRoom = UNLIMITED_ROOM): string {
  const limit = `the results of one request may have ${grouped(aggregateCharacters)}`;
  return room.mostTokens === Number.POSITIVE_INFINITY ? limit : `${limit}, and ${grouped(room.mostTokens)} tokens`;
}

/**
 * Plans which results of the next request to store, so that all results fit together: the largest first, and the earliest of equal
 * results. Chooses only results that no request has contained yet, because a result that was sent complete stays complete. Results
 * of bounded tools come last, and only if the round would otherwise exceed its room in the window.
 */
export function planAggregate(
  items: readonly Item[],
  settings: StoringSettings,
  { tokensOf, mostTokens }: RoundRoom = UNLIMITED_ROOM,
): readonly AggregatePick[] {
  const shownCharacters = settings.previewCharacters + PREVIEW_FRAME_CHARACTERS;
  const results = itemsAfterSeal(items).filter((item) => resultOf(item) !== undefined);
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

/** A result to store. */
interface AggregatePick {
  readonly item: MessageItem;
  readonly tool: string | undefined;
  readonly characters: number;
}

/** The room of the window for the results of one round. */
interface RoundRoom {
  readonly tokensOf: (item: MessageItem) => number;
  readonly mostTokens: number;
}

const UNLIMITED_ROOM: RoundRoom = { tokensOf: () => 0, mostTokens: Number.POSITIVE_INFINITY };

function itemsAfterSeal(items: readonly Item[]): readonly MessageItem[] {
  const seal = items.findLastIndex(({ kind }) => kind === "seal");
  return items.slice(seal + 1) as readonly MessageItem[];
}

/**
 * Returns the options for storing from the settings.
 * @param tools the definitions of the tools in the request
 */
export function storingOptions(settings: Settings, tools: readonly ToolDefinition[] = []): StoringOptions {
  return {
    boundedTools: headTools(tools).flatMap(({ name, resultSize }) => (resultSize === "bounded" ? [name] : [])),
    thresholdCharacters: settings["toolResults.thresholdCharacters"],
    aggregateCharacters: settings["toolResults.aggregateCharacters"],
    messageCharacters: settings["toolResults.userMessageCharacters"],
    perTool: settings["toolResults.thresholdByTool"],
    recall: recallOf(tools),
  };
}

/** Returns the event about a failure. */
export function storingFailed({ error, bytes, shown }: StoringFailure): StoringFailed {
  return { kind: "storing-failed", bytes, error: error.message, shown };
}

/** Returns the notice for the user about content that could not be stored. The model sees the part that was kept. */
export function failureNotice({ error, bytes, keptCharacters, shown }: StoringFailure): Draft {
  const because = error instanceof Error ? error.message : String(error);
  const seen = shown === "all" ? "all of it" : `its first ${keptCharacters} characters`;
  const text = `A result of ${bytes} bytes could not be stored (${because}): the model sees ${seen}.`;
  return toDraft("message", { role: "user", origin: "host", audience: "user", blocks: [{ kind: "text", text }] });
}

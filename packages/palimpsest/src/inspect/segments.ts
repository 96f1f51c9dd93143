import type { LedgerLine } from "../cost/ledger.ts";
import { priceUsd } from "../cost/prices.ts";
import type { Block, ToolCall } from "../log/block.ts";
import type { ModelPrices } from "../log/cause.ts";
import { inputTokensOf } from "../log/usage.ts";
import type { Provider, RequestParts } from "../providers/provider.ts";
import { estimateTokens } from "../size/calibration.ts";
import { featuresOf } from "../size/features.ts";
import type { Rendering } from "../state/rendering.ts";
import { definitionBlock } from "../view/items.ts";
import type { MessageItem, View } from "../view/view.ts";
import {
  contentPlaceOf,
  findPlaces,
  inPromptOrder,
  isWithin,
  type JsonPath,
  type JsonPiece,
  matchBlocks,
  type RequestPlaces,
  type Segment,
  splitJson,
} from "./segment.ts";

interface SegmentSources {
  readonly provider: Pick<Provider, "renderRequest">;
  readonly parts: RequestParts;
  readonly view: View;
  readonly rendering: Rendering;
  /** What each block that is sent was made from. */
  readonly origins: ReadonlyMap<Block, { readonly item: MessageItem; readonly block: Block }>;
}

/** What a piece shows: everything of a segment but its text. */
type Shown = Pick<Segment, "place" | "name" | "entry" | "standsFor"> & {
  readonly key: unknown;
  readonly tokens: number;
};

const SETTINGS: Shown = { place: "settings", tokens: 0, key: "settings" };

const MARK_ALONE = { text: "", closing: "" } as const;

/** The body of a request and the parts that it consists of, one behind the other. */
export function toSegments(
  request: unknown,
  sources: SegmentSources,
): { readonly body: string; readonly segments: readonly Segment[] } {
  const { provider, parts } = sources;
  const places = findPlaces(provider, parts);
  const isSplit = splitAt(places);
  const textOf = rememberTexts();
  const pieces = splitJson(request, isSplit, textOf);
  // Marks move from request to request. Without them, what is the same is the same.
  const unmarkedPieces = splitJson(provider.renderRequest({ ...parts, marks: [] }), isSplit, textOf);
  const plainAt = new Map(unmarkedPieces.map((piece) => [JSON.stringify(piece.path), piece]));
  const shown = showPieces(pieces, places, sources);
  const segments: Segment[] = [];
  let at = 0;
  let last: unknown;
  pieces.forEach(({ path, text }, index) => {
    const { key: ownKey, ...known } = shown[index]!;
    const plain = plainAt.get(JSON.stringify(path));
    // A mark that is an element of its own, behind what it marks, belongs to that.
    const key = plain === undefined ? last : ownKey;
    const { text: unmarked, closing } = plain ?? MARK_ALONE;
    const piece: Segment = {
      ...known,
      from: at,
      to: at + text.length,
      bytes: bytesOf(text),
      // The last of a list closes it; in the next request another one does.
      plain: unmarked.slice(0, unmarked.length - closing.length),
      ...(unmarked === text ? {} : { mark: "end" }),
    };
    const before = segments.at(-1);
    if (before !== undefined && key === last) segments[segments.length - 1] = joined(before, piece);
    else segments.push(piece);
    last = key;
    at += text.length;
  });
  return { body: pieces.map(({ text }) => text).join(""), segments };
}

/** Both forms of a request share most of their values: each value becomes text once. */
function rememberTexts(): (value: unknown) => string | undefined {
  const texts = new Map<unknown, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined && typeof value === "object") texts.set(value, text);
    return text;
  };
}

function joined(before: Segment, { to, bytes, plain, mark }: Segment): Segment {
  return {
    ...before,
    to,
    bytes: before.bytes + bytes,
    plain: before.plain + plain,
    ...(mark === undefined ? {} : { mark }),
  };
}

/** Messages are taken apart into their blocks, tools and system prompt into their elements. */
function splitAt({ messages, system, tools }: RequestPlaces): (path: JsonPath, value: object) => boolean {
  const lists = [...(messages === undefined ? [] : [messages]), ...system, ...tools];
  return (path, value) => {
    // On the way to a list, or a list.
    if (lists.some((list) => isWithin(list, path)))
      return path.length === 0 || isOnWay(path, lists) || Array.isArray(value);
    if (messages === undefined || !isWithin(path, messages)) return false;
    const depth = path.length - messages.length;
    if (depth === 1) return Object.values(value).some(isListOfObjects);
    return depth === 2 && isListOfObjects(value);
  };
}

function isOnWay(path: JsonPath, lists: readonly JsonPath[]): boolean {
  return lists.some((list) => list.length > path.length && isWithin(list, path));
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "object" && one !== null);
}

function showPieces(pieces: readonly JsonPiece[], places: RequestPlaces, sources: SegmentSources): readonly Shown[] {
  const { parts, view, rendering } = sources;
  const { messages, head } = places;
  const { calibration, featureOptions, configuration } = view;
  const tokensOf = (block: Block): number => estimateTokens(calibration, featuresOf(block, featureOptions));
  const system: Shown = {
    place: "system",
    key: "system",
    tokens: tokensOf({ kind: "text", text: parts.system }),
    ...(configuration === undefined ? {} : { entry: configuration.systemHeldBy }),
  };
  const toolPieces = pieces.filter(({ path }) => places.tools.some((list) => isWithin(path, list)));
  const toolTokens = parts.tools.map((tool) => tokensOf(definitionBlock(tool)));
  const showTool = (piece: JsonPiece): Shown => {
    const index = toolPieces.indexOf(piece);
    const isOne = toolPieces.length === parts.tools.length;
    return {
      place: "tools",
      key: isOne ? piece : "tools",
      tokens: isOne ? toolTokens[index]! : toolTokens.reduce((sum, tokens) => sum + tokens, 0),
      ...(isOne ? { name: parts.tools[index]!.name } : {}),
      ...(configuration === undefined ? {} : { entry: configuration.toolsHeldBy }),
    };
  };
  const calls = callNames(view);
  const showBlock = (block: Block): Shown => {
    const origin = sources.origins.get(block);
    if (origin === undefined) return { key: block, tokens: tokensOf(block), place: "placeholder" };
    const { item } = origin;
    // Counting is half of the work, and most items are one block that is sent as it is and was counted when it was read.
    const isCounted = item.blocks.length === 1 && block.kind === origin.block.kind;
    const known = { key: block, tokens: isCounted ? estimateTokens(calibration, item.features) : tokensOf(block) };
    const name = item.attachment ?? nameOf(origin.block, calls);
    return {
      ...known,
      place: contentPlaceOf(origin.block, item),
      entry: item.by ?? item.from,
      ...(name === undefined ? {} : { name }),
      ...(item.by === undefined ? {} : { standsFor: { from: item.from, to: item.to } }),
    };
  };
  const messageOf = rendering.flat.flatMap((_, message) =>
    Array.from({ length: rendering.ends[message]! - (rendering.ends[message - 1] ?? 0) }, () => message),
  );
  const byMessage = Map.groupBy(pieces, ({ path }) => messageOf[elementOf(path, places)]);
  const shown = new Map<JsonPiece, Shown>();
  for (const [message, group] of byMessage) {
    const blocks = message === undefined ? [] : (rendering.flat[message]?.blocks ?? []);
    const matched = matchBlocks(
      group.map(({ text }) => text),
      blocks,
    );
    group.forEach((piece, index) => {
      const block = blocks[matched[index]!];
      if (block !== undefined) shown.set(piece, showBlock(block));
    });
  }
  return pieces.map((piece) => {
    const { path } = piece;
    const isHead = messages !== undefined && isWithin(path, messages) && Number(path[messages.length]) < head;
    if (isHead || places.system.some((list) => isWithin(path, list))) return system;
    if (places.tools.some((list) => isWithin(path, list))) return showTool(piece);
    return shown.get(piece) ?? SETTINGS;
  });
}

/** The rendered message that a piece belongs to; -1 if it belongs to none. */
function elementOf(path: JsonPath, { messages, head }: RequestPlaces): number {
  return messages !== undefined && isWithin(path, messages) ? Number(path[messages.length]) - head : -1;
}

function nameOf(block: Block, calls: ReadonlyMap<string, string>): string | undefined {
  return block.kind === "tool_call" ? block.name : block.kind === "tool_result" ? calls.get(block.callId) : undefined;
}

function callNames({ items }: View): ReadonlyMap<string, string> {
  const blocks = items.flatMap((item): readonly Block[] => (item.kind === "message" ? item.blocks : []));
  return new Map(
    blocks.filter((block): block is ToolCall => block.kind === "tool_call").map(({ id, name }) => [id, name]),
  );
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A segment, with its share of what the provider has counted. */
export interface PricedSegment extends Segment {
  /** Its share of the input that the provider has counted; absent without a report. */
  readonly countedTokens?: number;
  /** The part of them that was read from the cache, from the beginning of the segment. */
  readonly cachedTokens?: number;
  /** Its share of the price of the input; absent if prices are unknown. */
  readonly usd?: number;
}

interface PriceQuestion {
  readonly line: LedgerLine | undefined;
  readonly prices: ModelPrices | undefined;
}

/**
 * Divides what the provider has counted and billed among the segments, by their estimates. A prompt is read from the cache from
 * its beginning on: so much as was read lies before one point, the cache line, and the rest was written or read anew.
 */
export function priceSegments(segments: readonly Segment[], { line, prices }: PriceQuestion): readonly PricedSegment[] {
  const inputTokens = line === undefined ? 0 : inputTokensOf(line);
  const ordered = inPromptOrder(segments);
  const estimated = ordered.reduce((sum, { tokens }) => sum + tokens, 0);
  if (line === undefined || inputTokens === 0 || estimated === 0) return segments;
  const nothing = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const readUsd = prices && priceUsd({ ...nothing, cacheReadTokens: line.cacheReadTokens }, prices);
  const { freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens = 0 } = line;
  const billed = { ...nothing, freshTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens };
  const newUsd = prices && priceUsd(billed, prices) - readUsd!;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  const priced = new Map<Segment, PricedSegment>();
  let before = 0;
  for (const segment of ordered) {
    const countedTokens = (segment.tokens / estimated) * inputTokens;
    const cachedTokens = Math.min(countedTokens, Math.max(0, cacheReadTokens - before));
    before += countedTokens;
    const usd =
      readUsd === undefined || newUsd === undefined
        ? {}
        : {
            usd:
              readUsd * share(cachedTokens, cacheReadTokens) +
              newUsd * share(countedTokens - cachedTokens, inputTokens - cacheReadTokens),
          };
    priced.set(segment, { ...segment, countedTokens, cachedTokens, ...usd });
  }
  return segments.map((segment) => priced.get(segment) ?? segment);
}

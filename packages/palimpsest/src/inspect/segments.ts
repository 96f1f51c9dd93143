import type { Block, ToolCall } from "../log/block.ts";
import type { Provider, RequestParts } from "../providers/provider.ts";
import { estimateTokens } from "../size/calibration.ts";
import { featuresOf } from "../size/features.ts";
import type { Rendering } from "../state/rendering.ts";
import { definitionBlock } from "../view/items.ts";
import type { MessageItem, View } from "../view/view.ts";
import { findPlaces, isWithin, type JsonPath, type RequestPlaces } from "./places.ts";
import { contentPlaceOf, type Segment } from "./segment.ts";

/** The body of a request and the parts that it consists of, one behind the other. */
export function toSegments<Request, Message>(
  request: Request,
  sources: SegmentSources<Request, Message>,
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

interface SegmentSources<Request, Message> {
  readonly provider: Pick<Provider<Request, unknown, Message>, "renderRequest">;
  readonly parts: RequestParts<Message>;
  readonly view: View;
  readonly rendering: Rendering<Message>;
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

function showPieces<Request, Message>(
  pieces: readonly JsonPiece[],
  places: RequestPlaces,
  sources: SegmentSources<Request, Message>,
): readonly Shown[] {
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

/**
 * Which block each piece of a rendered message shows. Most forms have one piece for each block. In others a piece is recognized
 * by what it quotes; one that quotes nothing belongs to the block before it.
 *
 * @returns the index of a block for each piece
 */
function matchBlocks(pieces: readonly string[], blocks: readonly Block[]): readonly number[] {
  if (pieces.length === blocks.length) return pieces.map((_, index) => index);
  const quotes = blocks.map(quotesOf);
  let at = -1;
  return pieces.map((piece) => {
    const next = quotes.findIndex((sought, index) => index > at && sought.some((quote) => piece.includes(quote)));
    if (next >= 0) at = next;
    return Math.max(0, at);
  });
}

/** So much of a text is enough to recognize it. */
const SOUGHT_CHARACTERS = 64;

function quotesOf(block: Block): readonly string[] {
  switch (block.kind) {
    case "text":
      return quote(block.text);
    case "thinking":
      return [...quote(block.signature), ...quote(block.text)];
    case "tool_call":
      return [...quote(block.id), ...quote(block.name)];
    case "tool_result":
      return [
        ...quote(block.callId),
        ...(typeof block.content === "string" ? quote(block.content) : block.content.flatMap(quotesOf)),
      ];
    case "image":
    case "document":
      return quote(block.source.kind === "url" ? block.source.url : block.source.data);
    case "opaque":
      return [JSON.stringify(block.native.block).slice(0, SOUGHT_CHARACTERS)];
  }
}

/** As it stands in JSON: with its opening quotation mark, and with the closing one if it is short. */
function quote(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  if (text.length <= SOUGHT_CHARACTERS) return [JSON.stringify(text)];
  return [JSON.stringify(text.slice(0, SOUGHT_CHARACTERS)).slice(0, -1)];
}

/**
 * Writes a value as `JSON.stringify` does, in pieces: values that `isSplit` names are taken apart, all others are whole. What
 * opens a list belongs to its first piece, what closes it to its last.
 */
function splitJson(
  root: unknown,
  isSplit: (path: JsonPath, value: object) => boolean,
  textOf: (value: unknown) => string | undefined = JSON.stringify,
): readonly JsonPiece[] {
  const pieces: { readonly path: JsonPath; text: string; closing: string }[] = [];
  let opening = "";
  const walk = (value: unknown, path: JsonPath): void => {
    const inner = typeof value === "object" && value !== null && isSplit(path, value) ? innerOf(value) : [];
    if (inner.length === 0) {
      pieces.push({ path, text: opening + (textOf(value) ?? "null"), closing: "" });
      opening = "";
      return;
    }
    const isList = Array.isArray(value);
    opening += isList ? "[" : "{";
    inner.forEach(([key, one], index) => {
      opening += (index === 0 ? "" : ",") + (isList ? "" : `${JSON.stringify(key)}:`);
      walk(one, [...path, key]);
    });
    const last = pieces.at(-1)!;
    last.text += isList ? "]" : "}";
    last.closing += isList ? "]" : "}";
  };
  walk(root, []);
  return pieces;
}

/** A piece of JSON text. The pieces of a value, one behind the other, are its text. */
interface JsonPiece {
  readonly path: JsonPath;
  readonly text: string;
  /** What of it closes the lists that it is the last of. */
  readonly closing: string;
}

function innerOf(value: object): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((one, index) => [index, one] as const);
  return Object.entries(value).filter(([, one]) => one !== undefined);
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

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

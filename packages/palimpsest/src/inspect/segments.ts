import type { Block, ToolCall } from "../log/block.ts";
import type { Provider, RequestParts } from "../providers/provider.ts";
import { estimateTokens, featuresOf } from "../size/calibration.ts";
import type { Rendering } from "../state/rendering.ts";
import { definitionBlock } from "../view/items.ts";
import type { MessageItem, View } from "../view/view.ts";
import { contentPlaceOf, type Segment } from "./segment.ts";

// Splits the body of a request into segments.

/** Returns the body of a request and its segments, in the order of the body. */
export function toSegments(
  request: unknown,
  sources: SegmentSources,
): { readonly body: string; readonly segments: readonly Segment[] } {
  const { provider, parts } = sources;
  const places = findPlaces(provider, parts);
  const isSplit = splitAt(places);
  const textOf = rememberTexts();
  const pieces = splitJson(request, isSplit, textOf);
  // Cache marks move from request to request, so requests are compared without marks.
  const unmarkedPieces = splitJson(provider.renderRequest({ ...parts, marks: [] }), isSplit, textOf);
  const plainAt = new Map(unmarkedPieces.map((piece) => [JSON.stringify(piece.path), piece]));
  const shown = showPieces(pieces, places, sources);
  const segments: Segment[] = [];
  let at = 0;
  let last: unknown;
  pieces.forEach(({ path, text }, index) => {
    const { key: ownKey, ...known } = shown[index]!;
    const plain = plainAt.get(JSON.stringify(path));
    // A mark that is a separate element belongs to the element before it.
    const key = plain === undefined ? last : ownKey;
    const { text: unmarked, closing } = plain ?? MARK_ALONE;
    const piece: Segment = {
      ...known,
      from: at,
      to: at + text.length,
      bytes: bytesOf(text),
      // Excludes the closing bracket of a list: in the next request, another element may be the last.
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

interface SegmentSources {
  readonly provider: Pick<Provider, "renderRequest">;
  readonly parts: RequestParts;
  readonly view: View;
  readonly rendering: Rendering;
  /** The item and the block that each sent block was made from. */
  readonly origins: ReadonlyMap<Block, { readonly item: MessageItem; readonly block: Block }>;
}

/** The content of a piece: a segment without its text. */
type Shown = Pick<Segment, "place" | "name" | "entry" | "standsFor"> & {
  readonly key: unknown;
  readonly tokens: number;
};

const SETTINGS: Shown = { place: "settings", tokens: 0, key: "settings" };

const MARK_ALONE = { text: "", closing: "" } as const;

/** Caches the JSON text of values, because the request with marks and the request without marks share most values. */
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

/** Splits messages into their blocks, and the tool list and system prompt into their elements. */
function splitAt({ messages, system, tools }: RequestPlaces): (path: JsonPath, value: object) => boolean {
  const lists = [...(messages === undefined ? [] : [messages]), ...system, ...tools];
  return (path, value) => {
    // The path leads to a list.
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
    entry: configuration?.systemHeldBy,
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
      entry: configuration?.toolsHeldBy,
    };
  };
  const calls = callNames(view);
  const showBlock = (block: Block): Shown => {
    const origin = sources.origins.get(block);
    if (origin === undefined) return { key: block, tokens: tokensOf(block), place: "placeholder" };
    const { item } = origin;
    // Counting is half of the work, and most items have one block that is sent unchanged, so its features are already counted.
    const isCounted = item.blocks.length === 1 && block.kind === origin.block.kind;
    const known = { key: block, tokens: isCounted ? estimateTokens(calibration, item.features) : tokensOf(block) };
    const name = item.attachment ?? nameOf(origin.block, calls);
    return {
      ...known,
      place: contentPlaceOf(origin.block, item),
      entry: item.by ?? item.from,
      name,
      standsFor: item.by === undefined ? undefined : { from: item.from, to: item.to },
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

/** Returns the index of the rendered message that a piece belongs to; -1 if the piece is not part of a message. */
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
 * Returns the index of the block that each piece of a rendered message shows. Most formats have one piece per block. In other
 * formats, a piece is recognized by a quotation of the block. A piece without a quotation belongs to the previous block.
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

/** The number of characters that are enough to recognize a text. */
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

/** Returns the beginning of a text as JSON writes it: with the opening quotation mark, and the closing one if the text is short. */
function quote(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  if (text.length <= SOUGHT_CHARACTERS) return [JSON.stringify(text)];
  return [JSON.stringify(text.slice(0, SOUGHT_CHARACTERS)).slice(0, -1)];
}

/**
 * Writes a value in pieces that together are the text of `JSON.stringify`. Values for which `isSplit` returns true are split into their
 * elements. The opening bracket of a list belongs to its first piece, the closing bracket to its last.
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

/** A piece of JSON text. The joined pieces of a value are its text. */
interface JsonPiece {
  readonly path: JsonPath;
  readonly text: string;
  /** The end of `text` that closes the lists whose last element this piece is. */
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
    // The earlier mark is kept if the piece has none.
    ...(mark === undefined ? {} : { mark }),
  };
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Finds where a provider's request has its messages, system prompt and tools, by rendering requests with and without each part. So
 * this code knows no provider's format. The rendered requests are small: they have at most one message.
 */
function findPlaces(provider: Pick<Provider, "renderRequest">, parts: RequestParts): RequestPlaces {
  const render = (more: Partial<RequestParts>): unknown =>
    provider.renderRequest({ ...parts, messages: [], marks: [], tools: [], system: "", ...more });
  const bare = render({});
  const withSystem = render({ system: parts.system });
  const withMessage = render({ messages: parts.messages.slice(0, 1) });
  const messages = differences(bare, withMessage).find((path) => Array.isArray(valueAt(withMessage, path)));
  const isElsewhere = (path: JsonPath): boolean => path.join() !== messages?.join();
  const head = messages === undefined ? undefined : valueAt(withSystem, messages);
  return {
    messages,
    head: Array.isArray(head) ? head.length : 0,
    system: differences(bare, withSystem).filter(isElsewhere),
    tools: differences(bare, render({ tools: parts.tools })).filter(isElsewhere),
  };
}

/** The places of the parts in a provider's format of requests. */
interface RequestPlaces {
  /** The list of messages; undefined if the format has no such list. */
  readonly messages: JsonPath | undefined;
  /** The number of list elements before the first message. In some formats, the list begins with the system prompt. */
  readonly head: number;
  readonly system: readonly JsonPath[];
  readonly tools: readonly JsonPath[];
}

/** The path to a value in a JSON value: keys and indexes, from the outside in. */
type JsonPath = readonly (string | number)[];

/** Returns the paths at which two values differ. Objects are compared by field, lists as a whole. */
function differences(before: unknown, after: unknown, path: JsonPath = []): readonly JsonPath[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isFields(before) || !isFields(after)) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key], after[key], [...path, key]));
}

/** Returns the value at a path; undefined if the path does not exist. */
function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a path leads to the value at `outer` or into it. */
function isWithin(path: JsonPath, outer: JsonPath): boolean {
  return outer.every((key, index) => path[index] === key);
}

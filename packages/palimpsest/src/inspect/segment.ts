import type { CacheBreak } from "../cost/ledger.ts";
import type { Block } from "../log/block.ts";
import type { Cause } from "../log/cause.ts";
import type { Provider, RequestParts } from "../providers/provider.ts";
import { type Place, placeOf } from "../view/account.ts";
import type { MessageItem } from "../view/view.ts";

/** Where content of the conversation comes from. A summary is told apart from the user's messages: it is sent as one of them. */
export type ContentPlace = Place | "summary";

/** The place of one block of a message. */
export function contentPlaceOf(block: Block, item: MessageItem): ContentPlace {
  const place = placeOf(block, item);
  return item.origin === "summary" && (place === "human" || place === "assistant") ? "summary" : place;
}

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

/** Where a value stands in a JSON value: keys and indexes, from the outside in. */
export type JsonPath = readonly (string | number)[];

/** A piece of JSON text. The pieces of a value, one behind the other, are its text. */
export interface JsonPiece {
  readonly path: JsonPath;
  readonly text: string;
  /** What of it closes the lists that it is the last of. */
  readonly closing: string;
}

/**
 * Writes a value as `JSON.stringify` does, in pieces: values that `isSplit` names are taken apart, all others are whole. What
 * opens a list belongs to its first piece, what closes it to its last.
 */
export function splitJson(
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

function innerOf(value: object): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((one, index) => [index, one] as const);
  return Object.entries(value).filter(([, one]) => one !== undefined);
}

/** Whether a path leads into a value, or to it. */
export function isWithin(path: JsonPath, outer: JsonPath): boolean {
  return outer.every((key, index) => path[index] === key);
}

/** The outermost places in which a value has something that another one lacks, or has in another way; lists are not taken apart. */
function differences(before: unknown, after: unknown, path: JsonPath = []): readonly JsonPath[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isFields(before) || !isFields(after)) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differences(before[key], after[key], [...path, key]));
}

/** The value at a path; undefined if there is none. */
function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where a provider's form of a request has its parts. */
export interface RequestPlaces {
  /** The list of messages; undefined if the form has no list that grows with them. */
  readonly messages: JsonPath | undefined;
  /** How many elements of that list stand before the first message: in some forms the system prompt. */
  readonly head: number;
  readonly system: readonly JsonPath[];
  readonly tools: readonly JsonPath[];
}

/**
 * Finds the parts by rendering requests with and without them, so that nothing here knows any provider's form. The requests
 * are small: they have one message at most.
 */
export function findPlaces(provider: Pick<Provider, "renderRequest">, parts: RequestParts): RequestPlaces {
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

/** So much of a text is enough to recognize it. */
const SOUGHT_CHARACTERS = 64;

/**
 * Which block each piece of a rendered message shows. Most forms have one piece for each block. In others a piece is recognized
 * by what it quotes; one that quotes nothing belongs to the block before it.
 *
 * @returns the index of a block for each piece
 */
export function matchBlocks(pieces: readonly string[], blocks: readonly Block[]): readonly number[] {
  if (pieces.length === blocks.length) return pieces.map((_, index) => index);
  const quotes = blocks.map(quotesOf);
  let at = -1;
  return pieces.map((piece) => {
    const next = quotes.findIndex((sought, index) => index > at && sought.some((quote) => piece.includes(quote)));
    if (next >= 0) at = next;
    return Math.max(0, at);
  });
}

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

/** Names the causes of a cache miss in plain words. */
export const CACHE_CAUSES: Readonly<Record<Cause, string>> = {
  pause: "cache expired",
  provider: "another provider",
  model: "another model",
  tools: "other tools",
  system: "another system prompt",
  betas: "other beta features",
  parameters: "other request parameters",
  thinking: "another thinking setting",
  effort: "another effort setting",
  "tool-choice": "another tool choice",
  images: "first image added, or last image removed",
  boundary: "a compaction",
  rewind: "a rewind",
  restore: "an undo",
  replace: "tool results cleared",
  "provider-edits": "edits by the provider",
  "earlier-thinking": "earlier thinking dropped by the provider",
  "cache-ttl": "another cache lifetime",
  server: "no known reason",
};

/** The provider's own explanation of a cache miss. */
export const PROVIDER_SAYS: Readonly<Record<NonNullable<CacheBreak["providerSays"]>, string>> = {
  model: "the model changed",
  tools: "the tools changed",
  system: "the system prompt changed",
  messages: "the messages changed",
  parameters: "the request's parameters changed",
  nowhere: "the prompt is the same",
  unknown: "it could not compare",
};

// Stores large content in files, as a message, while it arrives or before a request, and returns a preview for the log.

import { type Draft, toDraft } from "../log/entry.ts";
import type { MessagePayload, ReplacePayload, ToolDefinition } from "../log/payload.ts";
import { thresholdOf as ruleThresholdOf } from "../policy/guard.ts";
import type { StoreRule } from "../policy/policy.ts";
import { recallOf } from "../recall/recall.ts";
import type { ResultStored, StoringFailed } from "../session-event.ts";
import type { Budget } from "../size/budget.ts";
import { estimateTokens } from "../size/calibration.ts";
import type { SessionPolicy } from "../state/policy.ts";
import type { StageDecision } from "../state/ports.ts";
import type { ResultDraft, ResultEnding, ResultFiles } from "../stores/store.ts";
import { grouped } from "../text.ts";
import { headTools } from "../view/tool-search.ts";
import type { Item, MessageItem, View } from "../view/view.ts";
import {
  CUT_CHARACTERS,
  type CutContent,
  collectEnds,
  cutContent,
  endsOf,
  type KeptContent,
  looksLikeJson,
  MAX_BYTES_PER_CHARACTER,
  markEmpty,
  type PreviewOptions,
  type PreviewShape,
  previewText,
  resultOf,
  type StoredEnds,
  type StoringFailure,
  shapeOf,
  textOf,
  withPreview,
  withText,
} from "./preview.ts";

/**
 * Prepares a message for the log: writes large content to a file, and returns a message with a preview. Content that was stored while
 * it arrived (`streamed`) only needs its preview; `payload` then names the call.
 */
export async function storeMessage(
  payload: MessagePayload,
  options: StoreMessageOptions & { readonly streamed?: StoredEnds },
): Promise<StoredMessage> {
  const settings = settingsOf(options);
  if (options.streamed !== undefined) return { payload: preview(payload, options.streamed, options, settings) };
  const marked = markEmpty(payload);
  const threshold = thresholdOfMessage(marked, options.tool, settings);
  const text = threshold === Number.POSITIVE_INFINITY ? "" : textOf(marked);
  if (text.length <= threshold) return { payload: marked };
  const { files, session } = options;
  const content = await storeText(text, { files, session, previewCharacters: settings.previewCharacters });
  if (content.kind === "stored") return { payload: preview(marked, content, options, settings) };
  return { payload: { ...marked, blocks: withText(marked.blocks, content.text) }, failure: content.failure };
}

interface StoreMessageOptions extends StoringOptions {
  readonly files: ResultFiles;
  readonly session: string;
  /** The number that the message's entry will have. */
  readonly entry: number;
  /** The tool of the result, if the message is a result and its tool is known. */
  readonly tool?: string | undefined;
}

interface StoredMessage {
  /** The message for the log. */
  readonly payload: MessagePayload;
  /** The message should have been stored, but storing failed. */
  readonly failure?: StoringFailure;
}

/** Stores a complete text. A stream with the same content gives the same file. */
export async function storeText(
  text: string,
  { files, session, previewCharacters }: StoreTextOptions,
): Promise<KeptContent | CutContent> {
  const content = new TextEncoder().encode(text);
  const ends = endsOf(content, previewCharacters);
  const sink = openSink(() => files.create(session));
  await sink.write(content);
  const kept = await sink.keep(looksLikeJson(ends) ? "json" : "txt");
  await sink.discard();
  if (kept instanceof Error) return cutContent(text, ends, kept);
  const { bytes, lines, head, tail } = ends;
  return { kind: "stored", stored: { ...kept, bytes, lines }, head, tail };
}

interface StoreTextOptions {
  readonly files: ResultFiles;
  readonly session: string;
  readonly previewCharacters: number;
}

/**
 * Stores an output while it arrives, in constant memory: keeps the beginning in memory until the output is too large, and then writes
 * all of it to a file. Lone surrogates of a string become U+FFFD, because UTF-8 has none. If the output fails, throws its error and
 * stores nothing.
 */
export async function storeStream(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  { files, session, tool, ...options }: StoreStreamOptions,
): Promise<StreamedContent> {
  const settings = settingsOf(options);
  const thresholdCharacters = thresholdOf(tool, settings);
  const maxPendingBytes = MAX_BYTES_PER_CHARACTER * Math.max(thresholdCharacters, CUT_CHARACTERS);
  const ends = collectEnds(settings.previewCharacters);
  const pending: Uint8Array[] = [];
  const sink = openSink(() => files.create(session));
  let pendingBytes = 0;
  try {
    for await (const bytes of toBytes(chunks)) {
      ends.add(bytes);
      if (pendingBytes > maxPendingBytes) {
        await sink.write(bytes);
        continue;
      }
      pending.push(bytes.slice());
      pendingBytes += bytes.length;
      if (pendingBytes > maxPendingBytes) await sink.writeAll(pending);
    }
    const all = ends.end();
    const start = decodeAll(pending, pendingBytes === all.bytes ? "whole" : "cut");
    if (pendingBytes <= maxPendingBytes) {
      if (start.length <= thresholdCharacters) return { kind: "inline", text: start };
      await sink.writeAll(pending);
    }
    const kept = await sink.keep(looksLikeJson(all) ? "json" : "txt");
    if (kept instanceof Error) return cutContent(start, all, kept);
    const { bytes, lines, head, tail } = all;
    return { kind: "stored", stored: { ...kept, bytes, lines }, head, tail };
  } finally {
    await sink.discard();
  }
}

interface StoreStreamOptions extends StoringOptions {
  readonly files: ResultFiles;
  readonly session: string;
  /** The tool that wrote the output, for its own threshold. */
  readonly tool?: string;
}

/** A stream that has ended: small enough to stay inline, kept in a file, or cut. */
type StreamedContent =
  /** Small enough to show completely; nothing was stored. */
  { readonly kind: "inline"; readonly text: string } | KeptContent | CutContent;

function decodeAll(parts: readonly Uint8Array[], end: "whole" | "cut"): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join("");
  return end === "whole" ? text + decoder.decode() : text;
}

/**
 * Converts a stream to UTF-8 in pieces of a suitable size. A piece is valid only until the next piece is requested. Joins surrogate
 * pairs that were split over two strings.
 */
export async function* toBytes(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let gathered = new Uint8Array(FIRST_PIECE_BYTES);
  let used = 0;
  let half = "";
  for await (const chunk of chunks) {
    const { ready, rest } = typeof chunk === "string" ? splitHalf(half + chunk) : { ready: half, rest: "" };
    half = rest;
    const text = encoder.encode(ready);
    for (const bytes of typeof chunk === "string" ? [text] : [text, chunk]) {
      if (used + bytes.length > gathered.length) {
        if (used > 0) yield gathered.subarray(0, used);
        if (gathered.length < PIECE_BYTES) gathered = new Uint8Array(PIECE_BYTES);
        used = 0;
      }
      if (bytes.length > gathered.length) {
        yield bytes;
      } else {
        gathered.set(bytes, used);
        used += bytes.length;
      }
    }
  }
  if (used > 0) yield gathered.subarray(0, used);
  if (half !== "") yield encoder.encode(half);
}

/** Separates the first half of a surrogate pair at the end of a text, to wait for the second half. */
function splitHalf(text: string): { readonly ready: string; readonly rest: string } {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? { ready: text.slice(0, -1), rest: text.slice(-1) } : { ready: text, rest: "" };
}

/** Small chunks are collected up to this size, to avoid many small writes. Most outputs are smaller. */
const FIRST_PIECE_BYTES = 65_536;
const PIECE_BYTES = 1_048_576;

/** Returns a file that the first write creates. After a failure, further writes do nothing. */
export function openSink(create: () => Promise<ResultDraft>): Sink {
  let draft: ResultDraft | undefined;
  let failure: Error | undefined;
  const attempt = async <Result>(act: (draft: ResultDraft) => Promise<Result>): Promise<Result | Error> => {
    if (failure !== undefined) return failure;
    try {
      draft ??= await create();
      return await act(draft);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      return failure;
    }
  };
  const write = async (bytes: Uint8Array): Promise<void> => {
    await attempt((open) => open.write(bytes));
  };
  return {
    write,
    async writeAll(parts) {
      for (const part of parts) await write(part);
    },
    keep: (ending) =>
      attempt(async (open) => {
        const kept = await open.keep(ending);
        draft = undefined;
        return kept;
      }),
    discard: async () => draft?.discard().catch(() => {}),
  };
}

/** The file that content is written to. */
interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  writeAll(parts: readonly Uint8Array[]): Promise<void>;
  keep(ending: ResultEnding): Promise<{ readonly file: string; readonly digest: string } | Error>;
  discard(): Promise<void>;
}

/** Returns the preview of stored content. */
function previewOf(
  { stored, head, tail }: StoredEnds,
  { files, session, entry, tool }: StoreMessageOptions,
  settings: StoringSettings,
): string {
  const ends = { head, tail, bytes: stored.bytes, lines: stored.lines };
  const chosen =
    tool !== undefined && Object.hasOwn(settings.previewShapes, tool) ? settings.previewShapes[tool] : undefined;
  const how: PreviewOptions = {
    shape: chosen ?? shapeOf(tool, ends),
    maxCharacters: settings.previewCharacters,
    entry,
    path: files.locate(session, stored.file),
    recall: settings.recall,
  };
  return previewText(ends, how);
}

function preview(
  payload: MessagePayload,
  content: StoredEnds,
  options: StoreMessageOptions,
  settings: StoringSettings,
): MessagePayload {
  return withPreview(payload, previewOf(content, options, settings), content.stored);
}

/** Returns how much text a message may have; infinite for model messages, messages for the user only, and summaries. */
function thresholdOfMessage(payload: MessagePayload, tool: string | undefined, settings: StoringSettings): number {
  if (payload.stored !== undefined) return Number.POSITIVE_INFINITY;
  if (resultOf(payload) !== undefined) return thresholdOf(tool, settings);
  const isWords = payload.role === "user" && payload.audience !== "user" && payload.origin !== "summary";
  return isWords ? atLeastPreview(settings.messageCharacters, settings) : Number.POSITIVE_INFINITY;
}

/** Returns how much text a tool result may have; infinite for a tool that limits its results itself. */
export function thresholdOf(tool: string | undefined, settings: StoringSettings): number {
  return atLeastPreview(settings.thresholdOf(tool), settings);
}

/** Raises a threshold to the size of a preview, because smaller content is not stored. */
function atLeastPreview(characters: number, { previewCharacters }: StoringSettings): number {
  return Math.max(characters, 2 * previewCharacters + PREVIEW_FRAME_CHARACTERS);
}

/** Options for storing large content and showing a preview. Characters are those of a JavaScript string (UTF-16). */
interface StoringOptions {
  /**
   * Returns how much text a result of a tool may have before it is stored. Infinite for a tool that limits its results itself, such
   * as a tool that reads files: its result must not go into a file that the model would read with the same tool.
   * @default 50,000 for every tool
   */
  readonly thresholdOf?: (tool: string | undefined) => number;
  /** The limit for all results of one request together; above it, the largest are stored. @default 200,000 */
  readonly aggregateCharacters?: number;
  /** A message from the user, the host or a command with more text than this is stored. @default 100,000 */
  readonly messageCharacters?: number;
  /** How much of the content a preview shows. @default 2,000 */
  readonly previewCharacters?: number;
  /** Which ends of a tool's output the preview shows. @default by the tool's name and the content */
  readonly previewShapes?: Readonly<Record<string, PreviewShape>>;
  /** Whether the model can recall what is stored. @default "offered" */
  readonly recall?: "offered" | "missing";
}

type StoringSettings = Required<StoringOptions>;

const DEFAULT_STORING: StoringSettings = {
  // About 12,000 tokens: most results are far smaller, and larger ones are seldom read to the end.
  thresholdOf: () => 50_000,
  aggregateCharacters: 200_000,
  // Twice as much, because user text is worth more than tool output, and seldom this long unless it was pasted.
  messageCharacters: 100_000,
  previewCharacters: 2_000,
  previewShapes: {},
  recall: "offered",
};

/** The maximum length of the text that a preview adds to the shown content: sizes, a path, an entry number. */
export const PREVIEW_FRAME_CHARACTERS = 1_000;

/** Adds the defaults to options. */
export function settingsOf(options: StoringOptions = {}): StoringSettings {
  return { ...DEFAULT_STORING, ...options };
}

/**
 * Returns the tool of a call that no request has contained yet; undefined for an older call, because the search would read the whole
 * view.
 */
export function toolOf(items: readonly Item[], callId: string): string | undefined {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]!;
    if (item.kind === "seal") return undefined;
    const call = item.blocks.findLast((block) => block.kind === "tool_call" && block.id === callId);
    if (call?.kind === "tool_call") return call.name;
  }
  return undefined;
}

// ------------------------------------------------------------------------------------------------ before a request

/** Stores the largest results of a round that is too large, until the rest fits. */
export async function storeOversized(context: StoringContext): Promise<StageDecision> {
  const { session, view, policy, files, budget } = context;
  const room = {
    tokensOf: (item: MessageItem) => estimateTokens(view.calibration, item.features),
    mostTokens: Math.floor(budget.autoCompactTokens * ROUND_SHARE),
  };
  const options = { ...storingOptions(policy, view.configuration?.tools), files, session, room };
  const { decisions, stored, failures } = await storeAggregate(view.items, options);
  return {
    drafts: [...decisions.map((decision) => toDraft("replace", decision)), ...failures.map(failureNotice)],
    newEvents: [...stored, ...failures.map(storingFailed)],
  };
}

interface StoringContext {
  readonly session: string;
  readonly view: View;
  readonly policy: SessionPolicy;
  readonly files: ResultFiles;
  readonly budget: Budget;
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
 * Returns the options for storing by the policy. A rule that fails is reported, and the default threshold applies.
 * @param tools the definitions of the tools in the request
 */
export function storingOptions(policy: SessionPolicy, tools: readonly ToolDefinition[] = []): StoringOptions {
  const { store } = policy.current;
  const bounded = new Set(headTools(tools).flatMap(({ name, resultSize }) => (resultSize === "bounded" ? [name] : [])));
  return {
    thresholdOf: (tool) =>
      thresholdBy(store, { name: tool ?? "", bounded: tool !== undefined && bounded.has(tool) }, policy),
    aggregateCharacters: store.roundCharacters,
    messageCharacters: store.userMessageCharacters,
    recall: recallOf(tools),
  };
}

function thresholdBy(
  store: StoreRule,
  tool: { readonly name: string; readonly bounded: boolean },
  policy: SessionPolicy,
): number {
  const { value, failure } = ruleThresholdOf(store, tool, policy);
  policy.countCall("store", failure);
  return value === "never" ? Number.POSITIVE_INFINITY : value;
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

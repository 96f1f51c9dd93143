// Flattens the items of a view into messages that every provider accepts, and places the cache marks.

import {
  type Block,
  type Native,
  type Part,
  type Text,
  TOOL_SEARCH,
  type ToolCall,
  type ToolResult,
} from "../log/block.ts";
import { CONTINUE, CONVERSATION_CUT, lateResult, markData, NO_RESULT, textAsSent } from "./texts.ts";
import type { ToolSearch } from "./tool-search.ts";
import type { FlatMessage, Item, MessageItem } from "./view.ts";

/** Creates a flattener without messages. */
export function createFlattener(rules: FlattenRules, trace?: Trace): Flattener {
  const messages: FlatMessage[] = [];
  const segments: Segment[] = [];
  const usedIds = new Set<string>();

  function dropLastSegment(): number {
    const { callIds, joined } = segments.pop()!;
    for (const id of callIds) usedIds.delete(id);
    const left = (segments.at(-1)?.messageCount ?? 0) - (joined === undefined ? 0 : 1);
    messages.length = left;
    if (joined !== undefined) messages.push(joined);
    return left;
  }

  function addSegment(items: readonly MessageItem[], seal: number, itemCount: number): number {
    const start = { seal: segments.at(-1)?.seal ?? 0, role: messages.at(-1)?.role, usedIds };
    const { messages: added, callIds } = flattenSegment(items, start, rules, trace);
    for (const id of callIds) usedIds.add(id);
    const joined = added[0]?.role === start.role ? messages.pop() : undefined;
    const unchanged = messages.length;
    for (const message of joined === undefined ? added : joinNeighbors([joined, ...added])) messages.push(message);
    segments.push({ seal, itemCount, messageCount: messages.length, callIds, joined });
    return unchanged;
  }

  return {
    messages,
    update(items, unchangedItems) {
      let unchanged = messages.length;
      while ((segments.at(-1)?.itemCount ?? 0) > unchangedItems) {
        unchanged = Math.min(unchanged, dropLastSegment());
      }
      for (const { segment, seal, itemCount } of sealedSegments(items, segments.at(-1)?.itemCount ?? 0)) {
        unchanged = Math.min(unchanged, addSegment(segment, seal, itemCount));
      }
      return unchanged;
    },
    newestEnds(limit) {
      const ends: number[] = [];
      let grown = false;
      for (let index = segments.length - 1; index >= 0 && ends.length < limit; index--) {
        const { messageCount, joined } = segments[index]!;
        if (!grown && messageCount > 0 && messageCount !== ends[0]) ends.unshift(messageCount);
        grown = joined !== undefined;
      }
      return ends;
    },
  };
}

/** The messages of a view. Each request adds its new part to them. */
interface Flattener {
  /** Everything that has been part of a request, in order. */
  readonly messages: readonly FlatMessage[];
  /**
   * Updates the messages. `unchangedItems` is the number of items at the front that are the same as in the previous call. Only later
   * items are flattened again, so a request costs only its new part. Returns the number of unchanged messages at the front.
   */
  update(items: readonly Item[], unchangedItems: number): number;
  /** Returns the message counts of the newest requests, oldest first, without requests whose last message has grown since. */
  newestEnds(limit: number): readonly number[];
}

/** The provider's rules for messages. */
export interface FlattenRules {
  /** The wire format of the request: blocks from other providers cannot be sent. */
  readonly provider: string;
  /** Whether replayed thinking must follow the exact conversation that produced it. */
  readonly thinking: "bound" | "free";
  /** How deferred tools come into the conversation. @default "native" */
  readonly toolSearch?: ToolSearch;
}

/** The items between two requests, and the messages up to their end. */
interface Segment {
  readonly seal: number;
  readonly itemCount: number;
  readonly messageCount: number;
  readonly callIds: readonly string[];
  /** The last message before this segment, if the first message of the segment was joined to it. */
  readonly joined: FlatMessage | undefined;
}

/** Splits items into segments, one for each request. */
function* sealedSegments(items: readonly Item[], from: number) {
  let segment: MessageItem[] = [];
  for (let index = from; index < items.length; index++) {
    const item = items[index]!;
    if (item.kind === "message") {
      segment.push(item);
    } else {
      yield { segment, seal: item.from, itemCount: index + 1 };
      segment = [];
    }
  }
}

/**
 * Flattens the items between two requests. A segment answers all of its calls, by their results or by placeholders, and ends with a
 * user message. So later items cannot change it.
 */
export function flattenSegment(
  items: readonly MessageItem[],
  start: SegmentStart,
  rules: FlattenRules,
  trace?: Trace,
): FlatSegment {
  const segment: SegmentDraft = {
    start,
    rules,
    trace,
    drafts: [],
    draftByResponse: new Map(),
    openCalls: new Map(),
    callIds: new Set(),
  };
  const compaction = start.role === undefined ? compactedByProvider(items[0], rules.provider) : undefined;
  for (const { item, place } of inPlace(items, compaction, start.seal)) {
    const isResponse = item.role === "assistant" && (item === compaction || !isProviderCompaction(item));
    if (isResponse) addResponse(segment, item, place);
    else addUserContent(segment, item);
  }
  const messages = joinNeighbors(segment.drafts.flatMap(close));
  const beginsInMiddle = start.role === undefined && messages[0]?.role === "assistant" && compaction === undefined;
  if (beginsInMiddle) messages.unshift(words(CONVERSATION_CUT));
  const last = items.at(-1);
  const paused = last?.stop === "paused" && last.provider === rules.provider;
  if (messages.at(-1)?.role === "assistant" && !paused) messages.push(words(CONTINUE));
  return { messages, callIds: [...segment.callIds] };
}

/** The state at the end of the earlier segments that this segment needs. */
export interface SegmentStart {
  /** The request that ended the previous segment; 0 for the first segment. */
  readonly seal: number;
  /** The role of the last message so far; undefined at the beginning. */
  readonly role: FlatMessage["role"] | undefined;
  /** Ids of calls that were already sent. */
  readonly usedIds: ReadonlySet<string>;
}

interface FlatSegment {
  readonly messages: readonly FlatMessage[];
  readonly callIds: readonly string[];
}

/** Receives each sent block, with the item and the block that it was made from. The engine's own texts are not traced. */
export type Trace = (sent: Block, item: MessageItem, block: Block) => void;

/** The segment under construction. */
interface SegmentDraft {
  readonly start: SegmentStart;
  readonly rules: FlattenRules;
  readonly trace: Trace | undefined;
  readonly drafts: Draft[];
  readonly draftByResponse: Map<string, Draft>;
  /** Calls by the id that the model wrote, in order. */
  readonly openCalls: Map<string, Call[]>;
  readonly callIds: Set<string>;
}

/** A message under construction. */
interface Draft {
  readonly role: FlatMessage["role"];
  readonly blocks: Block[];
  readonly calls: Call[];
  /** The response that began this message. */
  speaker?: string | number;
}

interface Call {
  readonly name: string;
  /** The id under which the call is sent, because the model's id may not be unique. */
  readonly sentId: string;
  result: ToolResult | undefined;
}

/** Returns the item if it is a compaction by this provider: a message in its own format, which must come first in every request. */
function compactedByProvider(item: MessageItem | undefined, provider: string): MessageItem | undefined {
  const isOwn = item?.blocks.some((block) => "native" in block && block.native?.provider === provider);
  return isOwn && isProviderCompaction(item!) ? item : undefined;
}

/** Whether a provider made the compaction. For other providers, its readable part is sent with the rest of the summary. */
function isProviderCompaction({ role, origin, blocks }: MessageItem): boolean {
  return role === "assistant" && origin === "summary" && blocks.some((block) => "native" in block && block.native);
}

interface Placed {
  readonly item: MessageItem;
  /** `its-own`: the response follows the request that it answers, so its thinking is valid there. */
  readonly place: "its-own" | "another";
}

/**
 * Orders the items of a segment. If the provider compacted the conversation in the middle of an answer, the answer follows the
 * compaction.
 */
function inPlace(items: readonly MessageItem[], compaction: MessageItem | undefined, seal: number): readonly Placed[] {
  if (compaction === undefined) return responseFirst(items, seal);
  return [{ item: compaction, place: "another" }, ...responseFirst(items.slice(1), compaction.to)];
}

/**
 * Puts the response directly after the request that it answers, before items that arrived while the model wrote it. Its thinking is
 * bound to that place. Only one response has the place. A second response to the same request, a late response, or a response that
 * was not recorded as an answer loses its thinking.
 */
function responseFirst(items: readonly MessageItem[], seal: number): readonly Placed[] {
  const first = items.find(({ role, answers }) => role === "assistant" && answers === seal);
  const isResponse = (item: MessageItem): boolean =>
    first !== undefined && item.answers === seal && item.responseId === first.responseId;
  const placed = items.map((item): Placed => ({ item, place: isResponse(item) ? "its-own" : "another" }));
  // Without an earlier request, the order is unchanged.
  if (seal === 0) return placed;
  return [...placed.filter(({ place }) => place === "its-own"), ...placed.filter(({ place }) => place === "another")];
}

function addResponse(segment: SegmentDraft, item: MessageItem, place: Placed["place"]): void {
  const { start, rules, trace, callIds, openCalls } = segment;
  const draft = draftOfResponse(segment, item.responseId);
  // A message contains the thinking of one response only, because providers compare thinking with the original response.
  if (!isProviderCompaction(item)) draft.speaker ??= item.responseId ?? item.from;
  const isAnother = draft.speaker !== (item.responseId ?? item.from);
  const lost = isAnother || (rules.thinking === "bound" && (item.thinking === "lost" || place === "another"));
  for (const block of item.blocks) {
    const clean = cleanBlock(block, { provider: rules.provider, thinking: lost ? "leave-out" : "send" });
    // Providers refuse results and media in a model message.
    if (clean === undefined || clean.kind === "tool_result" || clean.kind === "image" || clean.kind === "document")
      continue;
    if (clean.kind !== "tool_call") {
      trace?.(clean, item, block);
      draft.blocks.push(clean);
      continue;
    }
    const sentId = safeCallId(clean.id, item.from, (id) => callIds.has(id) || start.usedIds.has(id));
    const call: Call = { name: clean.name, sentId, result: undefined };
    callIds.add(sentId);
    draft.calls.push(call);
    openCalls.set(clean.id, [...(openCalls.get(clean.id) ?? []), call]);
    const sent = renamed(clean, sentId);
    trace?.(sent, item, block);
    draft.blocks.push(sent);
  }
}

/** Returns the message of a response. All of its pieces become one message, even with results and attachments between them. */
function draftOfResponse({ drafts, draftByResponse }: SegmentDraft, responseId: string | undefined): Draft {
  if (responseId === undefined) return neighbor(drafts, "assistant");
  const draft = draftByResponse.get(responseId) ?? neighbor(drafts, "assistant");
  draftByResponse.set(responseId, draft);
  return draft;
}

function neighbor(drafts: Draft[], role: Draft["role"]): Draft {
  const last = drafts.at(-1);
  if (last?.role === role) return last;
  const draft: Draft = { role, blocks: [], calls: [] };
  drafts.push(draft);
  return draft;
}

function renamed(call: ToolCall, sentId: string): ToolCall {
  const name = safeToolName(call.name);
  if (sentId === call.id && name === call.name) return call;
  const { native: _, ...ours } = call;
  return { ...ours, id: sentId, name };
}

function addUserContent({ drafts, openCalls, rules, trace }: SegmentDraft, item: MessageItem): void {
  for (const block of item.blocks) {
    const clean = cleanBlock(block, { provider: rules.provider, thinking: "leave-out" });
    if (clean === undefined || clean.kind === "tool_call" || clean.kind === "thinking") continue;
    if (clean.kind !== "tool_result") {
      if (isBlank(clean)) continue;
      const sent = clean.kind === "text" ? textAsSent(clean, item) : clean;
      trace?.(sent, item, block);
      neighbor(drafts, "user").blocks.push(sent);
      continue;
    }
    // The result belongs to the earliest open call with its id.
    const call = openCalls.get(clean.callId)?.shift();
    if (call !== undefined) {
      call.result = { ...clean, callId: call.sentId };
      trace?.(call.result, item, block);
      continue;
    }
    for (const part of asLateResult(clean, item)) {
      trace?.(part, item, block);
      neighbor(drafts, "user").blocks.push(part);
    }
  }
}

/** Turns a result without an open call into text of a user message, marked as data. */
function asLateResult({ callId, content }: ToolResult, { provenance }: MessageItem): Part[] {
  const parts = (content as readonly Part[]).filter((part) => !isBlank(part));
  if (provenance === undefined) return [{ kind: "text", text: lateResult(callId.toWellFormed()) }, ...parts];
  const facts = { of: "an earlier call", call: callId };
  return parts.map((part) =>
    part.kind === "text" ? { kind: "text", text: markData(part.text, provenance, facts) } : part,
  );
}

/** Returns a message and, if it has calls, the message that answers them. */
function close({ role, blocks, calls }: Draft): FlatMessage[] {
  if (role === "user") return blocks.length === 0 ? [] : [{ role, blocks }];
  const sent = withoutTrailingThinking(withoutBlanks(blocks));
  // Providers refuse a message that holds only thinking.
  if (sent.length === 0) return [];
  if (calls.length === 0) return [{ role, blocks: sent }];
  const results = calls.map(({ name, sentId, result }) => ofTool(name, result ?? placeholder(sentId)));
  return [
    { role, blocks: sent },
    { role: "user", blocks: results },
  ];
}

/**
 * Removes blank text from a message without other text, because providers refuse it, together with the thinking after it. Thinking
 * directly before it goes, too, if it is in the provider's own format, because such a block must be followed by its original
 * successor. In a message with other text, blank text is kept, because later thinking is bound to it.
 */
function withoutBlanks(blocks: readonly Block[]): readonly Block[] {
  const firstBlank = blocks.findIndex(isBlank);
  if (firstBlank < 0 || blocks.some((block) => block.kind === "text" && !isBlank(block))) return blocks;
  return blocks.filter((block, index) => {
    if (block.kind !== "thinking") return !isBlank(block);
    const next = blocks[index + 1];
    return index < firstBlank && !(block.native !== undefined && next !== undefined && isBlank(next));
  });
}

function withoutTrailingThinking(blocks: readonly Block[]): readonly Block[] {
  return blocks.slice(0, blocks.findLastIndex(({ kind }) => kind !== "thinking") + 1);
}

/** Marks the result of `tool_search`, which has its own form with some providers. */
function ofTool(name: string, result: ToolResult): ToolResult {
  return name === TOOL_SEARCH ? { ...result, tool: TOOL_SEARCH } : result;
}

function placeholder(callId: string): ToolResult {
  return { kind: "tool_result", callId, content: [{ kind: "text", text: NO_RESULT }], status: "error" };
}

function isBlank(block: Block): boolean {
  return block.kind === "text" && block.text.trim() === "";
}

function words(text: string): FlatMessage {
  return { role: "user", blocks: [{ kind: "text", text }] };
}

/** Joins neighboring messages of the same role. */
export function joinNeighbors(messages: readonly FlatMessage[]): FlatMessage[] {
  const joined: FlatMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === message.role)
      joined[joined.length - 1] = { ...last, blocks: [...last.blocks, ...message.blocks] };
    else joined.push(message);
  }
  return joined;
}

/**
 * The number of cache marks in the messages. Providers with explicit caching accept four marks; one is at the end of the tools and
 * the system prompt.
 */
const MESSAGE_MARKS = 3;

/** The number of newest requests that must be known to place the marks. */
export const MARKED_REQUESTS: number = MESSAGE_MARKS;

/**
 * Chooses the messages of a request to mark: its last message, and the last messages of the two requests before it. The provider
 * then finds the cache entry of the previous request at its own mark, even if many blocks were added since (the provider looks only
 * 20 blocks back from a mark). If the previous request failed before it was cached, the provider finds the entry before it.
 *
 * @param ends the message counts of the newest requests, this request last
 * @returns the indexes of the messages to mark, oldest first
 */
export function placeMarks(ends: readonly number[]): readonly number[] {
  return ends.slice(-MESSAGE_MARKS).map((end) => end - 1);
}

// ------------------------------------------------------------------------------------------------ blocks, call ids and tool names that a provider accepts

/**
 * Returns a block in a form that the provider accepts, or undefined if no part of the block can be sent. The caller handles blank
 * text.
 */
export function cleanBlock(block: Block, rules: CleanRules): Block | undefined {
  switch (block.kind) {
    case "text":
    case "image":
    case "document":
    case "opaque":
      return cleanPart(block, rules.provider);
    case "thinking":
      return rules.thinking === "send" && block.provider === rules.provider ? block : undefined;
    case "tool_call":
      return withNative({ ...block, input: wellFormed(block.input) }, block.native, rules.provider);
    case "tool_result":
      return cleanResult(block, rules.provider);
  }
}

interface CleanRules {
  /** The provider whose own blocks can be sent unchanged. */
  readonly provider: string;
  readonly thinking: "send" | "leave-out";
}

function cleanResult(result: ToolResult, provider: string): ToolResult {
  const parts: readonly Part[] =
    typeof result.content === "string" ? [{ kind: "text", text: result.content }] : result.content;
  return { ...result, content: parts.map((part) => cleanPart(part, provider)).filter((part) => part !== undefined) };
}

function cleanPart(part: Part, provider: string): Part | undefined {
  if (part.kind === "opaque") return part.native.provider === provider ? part : undefined;
  if (part.kind !== "text") return withNative(part, part.native, provider);
  if (part.text === "") return undefined;
  const text: Text = { ...part, text: part.text.toWellFormed() };
  return withNative(text, part.native, provider);
}

/** Keeps the native form for its own provider only. */
function withNative<Kind extends { readonly native?: Native }>(
  block: Kind,
  native: Native | undefined,
  provider: string,
): Kind {
  if (native === undefined || native.provider === provider) return block;
  const { native: _, ...ours } = block;
  return ours as Kind;
}

/** Makes every string in a JSON value well-formed, because providers refuse lone surrogates. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}

/**
 * Returns the id under which a call is sent: its own id, or a safe id if providers refuse its characters or an earlier call had the
 * same id, as with some local servers. The safe id contains the entry's number, so it is unique and always the same.
 */
function safeCallId(id: string, entry: number, isUsed: (id: string) => boolean): string {
  const safe = isSafe(id, SAFE_ID_LENGTH) ? id : `call_${entry}`;
  if (!isUsed(safe)) return safe;
  for (let count = 1; ; count++) {
    const candidate = `call_${entry}_${count}`;
    if (!isUsed(candidate)) return candidate;
  }
}

/** Returns the name under which a call is sent. */
function safeToolName(name: string): string {
  if (isSafe(name, SAFE_NAME_LENGTH)) return name;
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, SAFE_NAME_LENGTH);
  return safe === "" ? "unnamed" : safe;
}

function isSafe(text: string, maxLength: number): boolean {
  return text.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(text);
}

/** The lengths that every provider accepts. */
const SAFE_ID_LENGTH = 40;
const SAFE_NAME_LENGTH = 128;

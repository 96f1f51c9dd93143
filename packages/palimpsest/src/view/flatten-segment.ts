import type { Block, Part, ToolCall, ToolResult } from "../log/block.ts";
import { cleanBlock } from "./clean-block.ts";
import type { FlatMessage } from "./flat-message.ts";
import type { MessageItem } from "./item.ts";
import { CONTINUE, CONVERSATION_CUT, lateResult, NO_RESULT, reminder } from "./texts.ts";
import { safeCallId, safeToolName } from "./tool-names.ts";

export interface FlattenRules {
  /** The wire form that the request is for: blocks of other providers cannot be sent. */
  readonly provider: string;
  /** Whether replayed thinking must stand behind the exact conversation that produced it. */
  readonly thinking: "bound" | "free";
}

/** What came before a segment, as far as the segment has to know it. */
export interface SegmentStart {
  /** The request that ended the segment before; 0 for the first. */
  readonly seal: number;
  /** Who has the last word so far; undefined at the beginning. */
  readonly role: FlatMessage["role"] | undefined;
  /** Ids of calls that were sent already. */
  readonly usedIds: ReadonlySet<string>;
}

export interface FlatSegment {
  readonly messages: readonly FlatMessage[];
  readonly callIds: readonly string[];
}

/** A message in the making. */
interface Draft {
  readonly role: FlatMessage["role"];
  readonly blocks: Block[];
  readonly calls: Call[];
  /** The response that it began with. */
  speaker?: string | number;
}

interface Call {
  /** As it is sent; as the model wrote it, it may not be unique. */
  readonly sentId: string;
  result: ToolResult | undefined;
}

/** The segment in the making. */
interface Making {
  readonly start: SegmentStart;
  readonly rules: FlattenRules;
  readonly drafts: Draft[];
  readonly draftByResponse: Map<string, Draft>;
  /** By the id that the model wrote, in the order of the calls. */
  readonly openCalls: Map<string, Call[]>;
  readonly callIds: Set<string>;
}

/**
 * Flattens what was added between two requests. Every segment is closed in itself: its calls are answered in it, by their
 * results or by stand-ins, and it ends with the user, so nothing that comes later can change it.
 */
export function flattenSegment(items: readonly MessageItem[], start: SegmentStart, rules: FlattenRules): FlatSegment {
  const making: Making = {
    start,
    rules,
    drafts: [],
    draftByResponse: new Map(),
    openCalls: new Map(),
    callIds: new Set(),
  };
  const folded = start.role === undefined ? compactedByProvider(items[0], rules.provider) : undefined;
  for (const { item, place } of inPlace(items, folded, start.seal)) {
    const isSaid = item.role === "assistant" && (item === folded || !isProviderCompaction(item));
    if (isSaid) addResponse(making, item, place);
    else addUserContent(making, item);
  }
  const messages = joinNeighbors(making.drafts.flatMap(close));
  const beginsInMiddle = start.role === undefined && messages[0]?.role === "assistant" && folded === undefined;
  if (beginsInMiddle) messages.unshift(words(CONVERSATION_CUT));
  const last = items.at(-1);
  const paused = last?.stop === "paused" && last.provider === rules.provider;
  if (messages.at(-1)?.role === "assistant" && !paused) messages.push(words(CONTINUE));
  return { messages, callIds: [...making.callIds] };
}

/** What a provider has folded by itself: a message in its own words, that it wants to find first in every request. */
function compactedByProvider(item: MessageItem | undefined, provider: string): MessageItem | undefined {
  const isOwn = item?.blocks.some((block) => "native" in block && block.native?.provider === provider);
  return isOwn && isProviderCompaction(item!) ? item : undefined;
}

/** To another provider it is no message of the model's: what can be read of it is told with the rest of the summary. */
function isProviderCompaction({ role, origin, blocks }: MessageItem): boolean {
  return role === "assistant" && origin === "summary" && blocks.some((block) => "native" in block && block.native);
}

interface Placed {
  readonly item: MessageItem;
  /** Whether it stands where its thinking was written. */
  readonly place: "its-own" | "another";
}

/** In the middle of an answer, the provider may fold the request and all before it: then that is what the answer is behind. */
function inPlace(items: readonly MessageItem[], folded: MessageItem | undefined, seal: number): readonly Placed[] {
  if (folded === undefined) return responseFirst(items, seal);
  return [{ item: folded, place: "another" }, ...responseFirst(items.slice(1), folded.to)];
}

/**
 * The response stands right behind the request it answers: what arrived while it was being written comes after it. Its
 * thinking is bound to that place. There is one such response; another one to the same request, a late one, or one that
 * was not recorded as an answer has lost the place that its thinking is bound to.
 */
function responseFirst(items: readonly MessageItem[], seal: number): readonly Placed[] {
  const first = items.find(({ role, answers }) => role === "assistant" && answers === seal);
  const isResponse = (item: MessageItem): boolean =>
    first !== undefined && item.answers === seal && item.responseId === first.responseId;
  const placed = items.map((item): Placed => ({ item, place: isResponse(item) ? "its-own" : "another" }));
  // Without a request before it, there is nothing to stand behind.
  if (seal === 0) return placed;
  return [...placed.filter(({ place }) => place === "its-own"), ...placed.filter(({ place }) => place === "another")];
}

function addResponse(making: Making, item: MessageItem, place: Placed["place"]): void {
  const { start, rules, callIds, openCalls } = making;
  const draft = draftOfResponse(making, item.responseId);
  // A message has the thinking of one response: providers compare it with what they wrote.
  if (!isProviderCompaction(item)) draft.speaker ??= item.responseId ?? item.from;
  const isAnother = draft.speaker !== (item.responseId ?? item.from);
  const lost = isAnother || (rules.thinking === "bound" && (item.thinking === "lost" || place === "another"));
  for (const block of item.blocks) {
    const clean = cleanBlock(block, { provider: rules.provider, thinking: lost ? "leave-out" : "send" });
    // A model says words and makes calls: providers refuse the rest in its messages.
    if (clean === undefined || clean.kind === "tool_result" || clean.kind === "image" || clean.kind === "document")
      continue;
    if (clean.kind !== "tool_call") {
      draft.blocks.push(clean);
      continue;
    }
    const sentId = safeCallId(clean.id, item.from, (id) => callIds.has(id) || start.usedIds.has(id));
    const call: Call = { sentId, result: undefined };
    callIds.add(sentId);
    draft.calls.push(call);
    openCalls.set(clean.id, [...(openCalls.get(clean.id) ?? []), call]);
    draft.blocks.push(renamed(clean, sentId));
  }
}

/** Pieces of one response become one message, also across results and attachments that lie between them. */
function draftOfResponse({ drafts, draftByResponse }: Making, responseId: string | undefined): Draft {
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

function addUserContent({ drafts, openCalls, rules }: Making, item: MessageItem): void {
  for (const block of item.blocks) {
    const clean = cleanBlock(block, { provider: rules.provider, thinking: "leave-out" });
    if (clean === undefined || clean.kind === "tool_call" || clean.kind === "thinking") continue;
    if (clean.kind !== "tool_result") {
      if (!isBlank(clean)) neighbor(drafts, "user").blocks.push(asShown(clean, item));
      continue;
    }
    // By position and id: the earliest call of that id which is still open.
    const call = openCalls.get(clean.callId)?.shift();
    if (call === undefined) for (const part of asLateResult(clean)) neighbor(drafts, "user").blocks.push(part);
    else call.result = { ...clean, callId: call.sentId };
  }
}

function asShown(block: Block, { attachment }: MessageItem): Block {
  return attachment !== undefined && block.kind === "text" ? { kind: "text", text: reminder(block.text) } : block;
}

function asLateResult({ callId, content }: ToolResult): Part[] {
  return [
    { kind: "text", text: lateResult(callId.toWellFormed()) },
    ...(content as readonly Part[]).filter((part) => !isBlank(part)),
  ];
}

/** A message and, if it has calls, the message that answers them. */
function close({ role, blocks, calls }: Draft): FlatMessage[] {
  if (role === "user") return blocks.length === 0 ? [] : [{ role, blocks }];
  const said = withoutTrailingThinking(withoutBlanks(blocks));
  // Providers refuse a message of thinking alone.
  if (said.length === 0) return [];
  if (calls.length === 0) return [{ role, blocks: said }];
  const results = calls.map(({ sentId, result }) => result ?? standIn(sentId));
  return [
    { role, blocks: said },
    { role: "user", blocks: results },
  ];
}

/**
 * Blank text is taken beside text that is not: there it stays, because later thinking is bound to it. Alone it is refused;
 * then it goes, with the thinking behind it, and with thinking right before it that is an item of the provider's own form:
 * such an item must be followed by what followed it.
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

function standIn(callId: string): ToolResult {
  return { kind: "tool_result", callId, content: [{ kind: "text", text: NO_RESULT }], status: "error" };
}

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

function isBlank(block: Block): boolean {
  return block.kind === "text" && block.text.trim() === "";
}

function words(text: string): FlatMessage {
  return { role: "user", blocks: [{ kind: "text", text }] };
}

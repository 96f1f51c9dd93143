// Brings a framework's list of messages and a log into the same form: groups of parts that can be compared.

import type { Block, Media, ToolResult } from "../../log/block.ts";
import type { Entry } from "../../log/entry.ts";
import { attachment, type NewContent } from "../../log/messages.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { type BranchRange, branchRanges, readWithStub } from "../../state/load.ts";
import { readEntries } from "../../stores/read.ts";
import type { LogReader } from "../../stores/store.ts";

/** A system message in the middle of a list becomes an attachment of this type. */
const SYSTEM_ATTACHMENT = "system";
const BATCH_ENTRIES = 128;

/** A message of a framework's list, in the engine's blocks. */
export interface SyncMessage {
  /** Tool results can have either role: frameworks keep them in user, tool or model messages. */
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly Block[];
  /**
   * The framework's id of the message. If it equals the provider's id of a recorded response, the response stays as it
   * was sent, however its text comes back. Not needed otherwise. @default none
   */
  readonly id?: string;
}

/** The result of a sync. */
export interface Synced {
  /** The number of messages of the list that the log already had. */
  readonly kept: number;
  /** The entries that were appended. */
  readonly appended: readonly number[];
  /** The entry that the session went back to, because a message before the end of the list was edited or deleted. */
  readonly rewoundTo?: number;
  /** Entries whose content came back altered under the same ids. They stay as they were sent. */
  readonly altered: readonly number[];
  /**
   * The altered entries that may be edits: all except failed results, which frameworks reword. The session does not
   * apply these edits, because it cannot tell them from a framework's own changes.
   */
  readonly edited: readonly number[];
  /**
   * `trimmed`: the list lacks the beginning of the conversation, because the framework has dropped or summarized it.
   * The session keeps the beginning and does not adopt the summary, because it compacts the conversation itself.
   */
  readonly head: "whole" | "trimmed";
  /**
   * Entries of tool calls and results that the list lacks, although it has the messages after them: the framework has
   * pruned them. They stay as they were sent.
   */
  readonly pruned: readonly number[];
}

/** One block of a message, in the form in which a list and a log are compared. */
export interface Part {
  /** The side that the block belongs to: calls belong to the model and results to the user, in any message. */
  readonly role: "user" | "assistant";
  /** `silent`: thinking and blocks that only the provider understands. They are kept and not compared. */
  readonly stream: "text" | "system" | "call" | "result" | "media" | "silent";
  /**
   * The id of a call or a result. For other blocks: the content, in a form that stays the same when frameworks render
   * it again.
   */
  readonly key: string;
  /** The content of a call or a result. */
  readonly says: string;
  readonly block: Block;
  /** The index of the message in the list, or the number of the entry in the log. */
  readonly of: number;
}

/** All parts of one side up to the next part of the other side, however they are divided into messages. */
export interface ListGroup {
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
  /** The ids of the messages. */
  readonly ids: ReadonlySet<string>;
}

/** An entry of the log that a list can contain. */
export interface OurEntry {
  readonly entry: number;
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
  /** The entry to cut at in order to remove this entry. It includes the silent entries directly before. */
  readonly cutAt: number;
  /** `optional`: the host appended the entry itself, so a list need not contain it. */
  readonly presence: "required" | "optional";
  readonly responseId?: string;
  /** The digest of the text, if the text is in a file. The blocks then have a preview. */
  readonly digest?: string;
  /** Whether the entry is erased. Any content in its place matches. */
  readonly erased: boolean;
}

/** All entries of one side up to the next entry of the other side. */
export interface OurGroup {
  readonly role: "user" | "assistant";
  readonly entries: readonly OurEntry[];
}

/**
 * Groups the parts of a list by side, from the message with the index `from`. Groups alternate between the user and the
 * model.
 */
export function listGroups(messages: readonly SyncMessage[], from: number): readonly ListGroup[] {
  const groups: { role: Part["role"]; parts: Part[]; ids: Set<string> }[] = [];
  for (const [index, { role, content, id }] of messages.entries()) {
    if (index < from) continue;
    for (const part of toParts(role, content, index)) {
      const last = groups.at(-1);
      const group = last?.role === part.role ? last : { role: part.role, parts: [], ids: new Set<string>() };
      if (group !== last) groups.push(group);
      group.parts.push(part);
      if (id !== undefined) group.ids.add(id);
    }
  }
  return groups;
}

export function toParts(
  role: "system" | "user" | "assistant",
  content: string | readonly Block[],
  of: number,
): readonly Part[] {
  const blocks: readonly Block[] = typeof content === "string" ? [{ kind: "text", text: content }] : content;
  return blocks.flatMap((block): readonly Part[] => {
    const part = { role: role === "assistant" ? role : "user", key: "", says: "", block, of } as const;
    switch (block.kind) {
      case "text": {
        const key = withoutSpace(block.text);
        return key === "" ? [] : [{ ...part, stream: role === "system" ? "system" : "text", key }];
      }
      case "tool_call":
        return [{ ...part, role: "assistant", stream: "call", key: block.id, says: canonical(block.input) }];
      case "tool_result":
        return [{ ...part, role: "user", stream: "result", key: block.callId, says: resultText(block) }];
      case "image":
      case "document":
        return [{ ...part, stream: "media", key: mediaKey(block) }];
      case "opaque":
        // A block of the user must stay in the user's message. A block of the model comes back in many forms.
        if (role !== "assistant") return [{ ...part, stream: "media", key: canonical(block.native.block) }];
        return [{ ...part, stream: "silent" }];
      default:
        return [{ ...part, role: "assistant", stream: "silent" }];
    }
  });
}

/** Removes white space. Frameworks trim, join and split texts, and these changes are not edits. */
function withoutSpace(text: string): string {
  return text.normalize("NFC").replace(/\s+/gu, "");
}

function resultText({ content }: ToolResult): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

/** Leaves out the media type, because appending the content corrects the type. */
function mediaKey({ source }: Media): string {
  return source.kind === "url" ? source.url : source.data;
}

/** Returns JSON with sorted names. Frameworks parse the call inputs and write them again. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}

/**
 * Turns parts of a list into content to append. Parts of one message stay together, except that results, calls and
 * texts of the user each have their own origin.
 * @param first a number with which no earlier list began
 */
export function newContents(parts: readonly Part[], first: number): readonly NewContent[] {
  const runs: { readonly first: Part; readonly blocks: Block[] }[] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last !== undefined && isSameRun(last.first, part)) last.blocks.push(part.block);
    else runs.push({ first: part, blocks: [part.block] });
  }
  return runs.map((run, index) => toContent(run.first, run.blocks, first + index));
}

function isSameRun(one: Part, other: Part): boolean {
  return one.of === other.of && originOf(one) === originOf(other);
}

function originOf({ role, stream }: Part): "system" | MessagePayload["origin"] {
  if (stream === "system") return "system";
  if (role === "assistant") return "model";
  return stream === "result" ? "tool" : "human";
}

function toContent(first: Part, blocks: readonly Block[], number: number): NewContent {
  const origin = originOf(first);
  if (origin === "system") return attachment(SYSTEM_ATTACHMENT, blocks);
  // Each one gets its own response id. Messages of one response would be sent as one message, before the results
  // between them.
  const response = origin === "model" ? { responseId: `synced-${number}` } : {};
  return { role: first.role, blocks, origin, ...response };
}

/** Reads the conversation on the branch that ends at an entry, in groups, oldest first, starting after `after`. */
export async function* readConversation(log: LogReader, at: number, after = 0): AsyncGenerator<OurGroup> {
  const ranges: BranchRange[] = [];
  for await (const { from, to } of branchRanges(log, at)) {
    ranges.unshift({ from: Math.max(from, after + 1), to });
    if (from <= after) break;
  }
  yield* groupEntries(forward(log, ranges));
}

/**
 * Reads the conversation backward, newest group first. The entries in a group are in ascending order. Reads back only
 * as far as the caller iterates.
 */
export async function* readConversationBack(log: LogReader, at: number): AsyncGenerator<OurGroup> {
  for await (const { role, entries } of groupEntries(backward(log, at))) yield { role, entries: entries.toReversed() };
}

/** Groups entries in their order. */
export async function* groupEntries(entries: AsyncIterable<OurEntry>): AsyncGenerator<OurGroup> {
  let group: OurEntry[] = [];
  for await (const entry of entries) {
    if (group.length > 0 && group[0]!.role !== entry.role) {
      yield { role: group[0]!.role, entries: group };
      group = [];
    }
    group.push(entry);
  }
  if (group.length > 0) yield { role: group[0]!.role, entries: group };
}

async function* forward(log: LogReader, ranges: readonly BranchRange[]): AsyncGenerator<OurEntry> {
  let silentFrom: number | undefined;
  for (const { from, to } of ranges) {
    for await (const entry of readEntries(log, from, to)) {
      const ours = await toOurEntry(log, entry);
      if (ours === "silent") silentFrom ??= entry.sequence;
      if (ours === "silent" || ours === undefined) continue;
      yield silentFrom === undefined ? ours : { ...ours, cutAt: silentFrom };
      silentFrom = undefined;
    }
  }
}

async function* backward(log: LogReader, at: number): AsyncGenerator<OurEntry> {
  for await (const { from, to } of branchRanges(log, at)) {
    for (let last = to; last >= from; last -= BATCH_ENTRIES) {
      const batch = await log.read(Math.max(from, last - BATCH_ENTRIES + 1), last);
      for (const entry of batch.toReversed()) {
        const ours = await toOurEntry(log, entry);
        if (ours !== undefined && ours !== "silent") yield ours;
      }
    }
  }
}

/** Converts an entry. `silent`: the entry has nothing to compare, and is removed together with the next entry. */
async function toOurEntry(log: LogReader, entry: Entry): Promise<OurEntry | "silent" | undefined> {
  const read = await readWithStub(log, entry);
  const { sequence } = entry;
  const own = { entry: sequence, cutAt: sequence, erased: entry.payload === undefined };
  if (read.kind === "attachment" && read.payload.type === SYSTEM_ATTACHMENT) {
    return { ...own, role: "user", parts: toParts("system", read.payload.blocks, sequence), presence: "required" };
  }
  if (read.kind !== "message" || read.payload.audience === "user") return undefined;
  const { role, blocks, origin, responseId, stored } = read.payload;
  const parts = toParts(role, blocks, sequence).filter(({ stream }) => stream !== "silent");
  if (parts.length === 0) return "silent";
  const optional = {
    responseId,
    digest: stored === undefined ? undefined : stored.digest,
  };
  const presence = ["human", "model", "tool"].includes(origin) ? "required" : "optional";
  return { ...own, role: parts[0]!.role, parts, presence, ...optional };
}

/**
 * Divides answers that a framework has merged: some frameworks write a turn with several steps as one answer with all
 * calls, followed by all results. Divides them as in the log. Returns the list itself if there is nothing to divide.
 */
export async function divideSteps(
  list: readonly ListGroup[],
  ours: AsyncIterable<OurGroup>,
): Promise<readonly ListGroup[]> {
  const steps = new Map<string, number>();
  let step = 0;
  for await (const { entries } of ours) {
    step++;
    for (const { key } of entries.flatMap(({ parts }) => parts.filter(isCall))) steps.set(key, step);
  }
  const divided = list.flatMap((group, index) => {
    const results = list[index + 1];
    const before = list[index - 1];
    if (group.role === "assistant") return divide(group, results, steps) ?? [group];
    // `divide` has already added these results after their calls.
    return before !== undefined && divide(before, group, steps) !== undefined ? [] : [group];
  });
  return divided.length === list.length ? list : divided;
}

function divide(
  calls: ListGroup,
  results: ListGroup | undefined,
  steps: ReadonlyMap<string, number>,
): readonly ListGroup[] | undefined {
  const runs = runsOf(calls.parts, steps);
  if (runs.length < 2 || results === undefined) return undefined;
  let left = results.parts;
  return runs.flatMap((parts, index) => {
    const keys = new Set(parts.filter(isCall).map(({ key }) => key));
    const isLast = index === runs.length - 1;
    const own = left.filter((part) => isLast || (part.stream === "result" && keys.has(part.key)));
    left = left.filter((part) => !own.includes(part));
    const step: ListGroup = { role: "assistant", parts, ids: calls.ids };
    return own.length === 0 ? [step] : [step, { role: "user", parts: own, ids: results.ids }];
  });
}

/** Splits the parts by answer. Text and thinking belong to the call that follows them. */
function runsOf(parts: readonly Part[], steps: ReadonlyMap<string, number>): readonly (readonly Part[])[] {
  const runs: Part[][] = [[]];
  let leading: Part[] = [];
  let current: number | undefined;
  for (const part of parts) {
    if (!isCall(part)) {
      leading.push(part);
      continue;
    }
    const step = steps.get(part.key);
    if (current !== undefined && step !== undefined && step !== current) runs.push([]);
    current = step ?? current;
    runs.at(-1)!.push(...leading, part);
    leading = [];
  }
  runs.at(-1)!.push(...leading);
  return runs;
}

function isCall({ stream }: Part): boolean {
  return stream === "call";
}

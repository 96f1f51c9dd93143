// Compares a framework's list of messages with the log, and finds the first difference.

import { readWithStub } from "../../state/load.ts";
import { sha256 } from "../../stores/sha256.ts";
import type { LogReader } from "../../stores/store.ts";
import { groupEntries, type ListGroup, type OurEntry, type OurGroup, type Part } from "./conversation.ts";

/** The changes that make a log match a list. */
export interface Alignment {
  /** The entry to cut at. Absent if no entry is removed. */
  readonly cutAt?: number;
  /** The parts to append after the cut. */
  readonly fresh: readonly Part[];
  readonly altered: readonly number[];
  /** The number of the list's groups that match completely before the first difference. */
  readonly groups: number;
}

/** Compares a list with a log, group by group, up to the first difference. */
export async function align(list: readonly ListGroup[], ours: AsyncIterable<OurGroup>): Promise<Alignment> {
  const altered: number[] = [];
  let index = 0;
  let before: GroupMatch | undefined;
  for await (const own of ours) {
    const required = own.entries.find(({ presence }) => presence === "required");
    const group = list[index];
    // The list has parts that the log lacks, and the log continues: an insertion.
    const extra = before === undefined ? [] : extras(list[index - 1]!, before);
    const fits = group?.role === own.role && extra.length === 0;
    if (!fits && required === undefined) continue;
    if (!fits) {
      const cutAt = required!.cutAt;
      return { cutAt, fresh: [...extra, ...partsFrom(list, index)], altered, groups: index };
    }
    const match = matchGroup(group, own);
    altered.push(...match.altered);
    const { missingAt, matched } = match;
    if (missingAt !== undefined) {
      const again = group.parts.filter((part) => (matched.get(part) ?? missingAt) >= missingAt);
      return { cutAt: missingAt, fresh: [...again, ...partsFrom(list, index + 1)], altered, groups: index };
    }
    before = match;
    index++;
  }
  const extra = before === undefined ? [] : extras(list[index - 1]!, before);
  return { fresh: [...extra, ...partsFrom(list, index)], altered, groups: index };
}

/**
 * Returns the parts of a group that the log lacks. Thinking is included only if the other parts of its message are
 * missing too.
 */
function extras(group: ListGroup, { matched }: GroupMatch): readonly Part[] {
  const fresh = group.parts.filter((part) => part.stream !== "silent" && !matched.has(part));
  const found = new Set(group.parts.filter((part) => matched.has(part)).map(({ of }) => of));
  const messages = new Set(fresh.map(({ of }) => of).filter((of) => !found.has(of)));
  return group.parts.filter((part) => (part.stream === "silent" ? messages.has(part.of) : fresh.includes(part)));
}

function partsFrom(list: readonly ListGroup[], index: number): readonly Part[] {
  return list.slice(index).flatMap(({ parts }) => parts);
}

/** The result of comparing a group of the list with a group of the log. */
interface GroupMatch {
  /** The entry to cut at, if the log has an entry that the list lacks. */
  readonly missingAt?: number;
  /** Parts of the list, each with the entry that contains the part. */
  readonly matched: ReadonlyMap<Part, number>;
  /** Entries whose content differs from the list under the same ids. */
  readonly altered: readonly number[];
}

/**
 * Finds the parts of the list's group in the log's group. Calls and results are matched by their ids, at any position.
 * Texts and media are matched in their order, however they are divided into blocks.
 */
export function matchGroup(list: ListGroup, ours: OurGroup): GroupMatch {
  const matched = new Map<Part, number>();
  const altered = new Set<number>();
  const missing: OurEntry[] = [];
  const hasSameId = ours.entries.some(({ responseId }) => responseId !== undefined && list.ids.has(responseId));
  const free = (stream: Part["stream"]): Part[] =>
    list.parts.filter((part) => part.stream === stream && !matched.has(part));
  let isSame = hasSameId;

  for (const own of ours.entries) {
    for (const part of own.parts) {
      if (part.stream !== "call" && part.stream !== "result") continue;
      const found = free(part.stream).find(({ key }) => key === part.key);
      if (found === undefined) missing.push(own);
      else {
        matched.set(found, own.entry);
        isSame ||= list.role === "assistant";
        if (isAltered(found, part, own)) altered.add(own.entry);
      }
    }
  }
  for (const own of ours.entries) {
    const content = own.parts.filter(({ stream }) => stream === "text" || stream === "media" || stream === "system");
    if (content.length === 0) continue;
    const found = own.erased ? firstUnmatchedMessage(list, matched) : findContent(content, own, free);
    if (found !== undefined) for (const part of found) matched.set(part, own.entry);
    else if (isSame) altered.add(own.entry);
    else if (own.presence === "required") missing.push(own);
  }
  // A message with the same ids is the same message, even if its text was changed or extended.
  const entryOf = new Map([...matched].map(([{ of }, entry]) => [of, entry]));
  for (const part of list.role === "assistant" ? [...free("text"), ...free("media")] : []) {
    const entry = entryOf.get(part.of) ?? (hasSameId && altered.size > 0 ? ours.entries.at(-1)!.entry : undefined);
    if (entry === undefined) continue;
    matched.set(part, entry);
    altered.add(entry);
  }
  if (missing.length === 0) return { matched, altered: [...altered] };
  const missingAt = Math.min(...missing.map(({ cutAt }) => cutAt));
  return { missingAt, matched, altered: [...altered].filter((entry) => entry < missingAt) };
}

function isAltered(found: Part, part: Part, { digest, erased }: OurEntry): boolean {
  if (erased || found.says === part.says) return false;
  return digest === undefined || sha256(found.says) !== digest;
}

/** Erased content cannot be compared. The first message that matches no other entry counts as the erased one. */
function firstUnmatchedMessage(list: ListGroup, matched: ReadonlyMap<Part, number>): readonly Part[] | undefined {
  const first = list.parts.find((part) => !matched.has(part));
  return first && list.parts.filter((part) => part.of === first.of && !matched.has(part));
}

/**
 * Finds the parts of the list that match the text and media of an entry, in order. Undefined if the list continues
 * differently.
 */
function findContent(
  content: readonly Part[],
  { digest }: OurEntry,
  free: (stream: Part["stream"]) => readonly Part[],
): readonly Part[] | undefined {
  const streams = [...new Set(content.map(({ stream }) => stream))];
  const found = streams.map((stream) => {
    const own = content.filter((part) => part.stream === stream);
    if (stream === "text" && digest !== undefined) return findStored(free(stream), digest);
    if (stream !== "text") return findEqual(own, free(stream));
    return findText(own.map(({ key }) => key).join(""), free(stream));
  });
  return found.every((parts) => parts !== undefined) ? found.flat() : undefined;
}

function findEqual(own: readonly Part[], parts: readonly Part[]): readonly Part[] | undefined {
  const next = parts.slice(0, own.length);
  return own.every(({ key }, index) => next[index]?.key === key) ? next : undefined;
}

/** Finds the leading texts that together make up a text. */
function findText(text: string, parts: readonly Part[]): readonly Part[] | undefined {
  let joined = "";
  for (const [index, { key }] of parts.entries()) {
    joined += key;
    if (joined === text) return parts.slice(0, index + 1);
    if (!text.startsWith(joined)) return undefined;
  }
  return undefined;
}

/** Finds the leading texts that together have a digest: for a text that is stored in a file. */
function findStored(parts: readonly Part[], digest: string): readonly Part[] | undefined {
  const texts: string[] = [];
  for (const [index, { block }] of parts.entries()) {
    texts.push(block.kind === "text" ? block.text : "");
    if (sha256(texts.join("\n")) === digest) return parts.slice(0, index + 1);
  }
  return undefined;
}

interface Pruned {
  readonly plan: Alignment;
  /** Entries of calls and results that the list lacks. They stay in the log. */
  readonly entries: readonly number[];
}

/**
 * Plans the changes for a list from which a framework has pruned tool calls and results. Undefined if no calls and
 * results are missing, or only those at the end: an answer was undone then.
 * @param cutAt the entry at which the session would be cut if nothing had been pruned
 */
export async function findPruned(
  list: readonly ListGroup[],
  ours: AsyncIterable<OurGroup>,
  cutAt: number,
): Promise<Pruned | undefined> {
  const ids = new Set(list.flatMap(({ parts }) => parts.filter(isTool).map(({ key }) => key)));
  const [left, pruned]: [OurEntry[], OurEntry[]] = [[], []];
  async function* others(): AsyncGenerator<OurEntry> {
    for await (const { entries } of ours) {
      for (const own of entries) {
        const parts = own.parts.filter((part) => !isTool(part) || ids.has(part.key));
        if (parts.length < own.parts.length) pruned.push(own);
        if (parts.length === 0) continue;
        left.push(own);
        yield { ...own, parts };
      }
    }
  }
  const aligned = await align(list, groupEntries(others()));
  const end = aligned.cutAt ?? Number.POSITIVE_INFINITY;
  const last = left.findLast(({ entry }) => entry < end)?.entry ?? 0;
  // The calls of an entry come after its text. The list has other calls after the text, or none, so they were not
  // pruned.
  if (pruned.some(({ entry }) => entry === last)) return undefined;
  const entries = pruned.map(({ entry }) => entry).filter((entry) => entry < last);
  const next = pruned.find(({ entry }) => entry > last && entry < end);
  const cut = next?.cutAt ?? aligned.cutAt;
  if (entries.length === 0 || (cut ?? Number.POSITIVE_INFINITY) <= cutAt) return undefined;
  const { cutAt: _, ...plan } = aligned;
  return { plan: cut === undefined ? plan : { ...plan, cutAt: cut }, entries };
}

function isTool({ stream }: Part): boolean {
  return stream === "call" || stream === "result";
}

/**
 * Returns the parts that a list adds to a log, if the framework has dropped the beginning of the list or replaced it by
 * a summary. Undefined if the list is not shortened like this.
 *
 * The list must contain all of the log from some point on, with an answer from the model in it, and fewer messages than
 * the log before that point. A list with as many messages has an edited message instead.
 * @param back the log's groups, newest first
 */
export async function findTrimmed(
  list: readonly ListGroup[],
  back: AsyncIterable<OurGroup>,
): Promise<readonly Part[] | undefined> {
  let at: number | undefined;
  let fresh: readonly Part[] = [];
  let hasAnswer = false;
  let headGroups = 0;
  for await (const own of back) {
    if (at === undefined) {
      const last = list.findLastIndex((group) => fits(group, own));
      if (last < 0) return undefined;
      fresh = [
        ...extras(list[last]!, matchGroup(list[last]!, own)),
        ...list.slice(last + 1).flatMap(({ parts }) => parts),
      ];
      at = last - 1;
      hasAnswer = own.role === "assistant";
      continue;
    }
    const group = list[at];
    const isNext = headGroups === 0 && group !== undefined && continuesWith(group, own, at);
    if (isNext) {
      hasAnswer ||= own.role === "assistant";
      at--;
    } else headGroups++;
    // The log has more groups before that point than the list.
    if (headGroups > at + 1) return hasAnswer ? fresh : undefined;
  }
  return undefined;
}

function fits(group: ListGroup, own: OurGroup): boolean {
  return group.role === own.role && matchGroup(group, own).missingAt === undefined;
}

/**
 * Tells whether the list continues backward with this group. The first group of a list may lack parts, because it can
 * be cut in the middle.
 */
function continuesWith(group: ListGroup, own: OurGroup, at: number): boolean {
  if (group.role !== own.role) return false;
  const match = matchGroup(group, own);
  return extras(group, match).length === 0 && (match.missingAt === undefined || (at === 0 && match.matched.size > 0));
}

/** Returns the altered entries that are not failed results. */
export async function findEdited(log: LogReader, altered: readonly number[]): Promise<readonly number[]> {
  const edited: number[] = [];
  for (const entry of altered) {
    for (const found of await log.read(entry, entry)) if (!(await isFailure(log, found))) edited.push(entry);
  }
  return edited;
}

async function isFailure(log: LogReader, entry: Parameters<typeof readWithStub>[1]): Promise<boolean> {
  const read = await readWithStub(log, entry);
  if (read.kind !== "message") return false;
  const results = read.payload.blocks.filter((block) => block.kind === "tool_result");
  return results.length > 0 && results.every(({ status }) => status === "error");
}

import { readWithStub } from "../../state/load.ts";
import { sha256 } from "../../stores/sha256.ts";

import type { LogReader } from "../../stores/store.ts";
import { groupEntries, type ListGroup, type OurEntry, type OurGroup, type Part } from "./conversation.ts";

/** How a group of the list and one of the log fit. */
interface GroupMatch {
  /** Where the log has something that the list does not: the entry to cut at. */
  readonly missingAt?: number;
  /** Parts of the list, and the entries that have them. */
  readonly matched: ReadonlyMap<Part, number>;
  /** Entries that say something else than the list does, under the same ids. */
  readonly altered: readonly number[];
}

/**
 * Finds the parts of one group in the other. Calls and results are found by their ids, wherever they stand; texts and media in
 * their order, whatever blocks they are divided into.
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
    const words = own.parts.filter(({ stream }) => stream === "text" || stream === "media" || stream === "system");
    if (words.length === 0) continue;
    const found = own.erased ? wholeMessage(list, matched) : findWords(words, own, free);
    if (found !== undefined) for (const part of found) matched.set(part, own.entry);
    else if (isSame) altered.add(own.entry);
    else if (own.presence === "required") missing.push(own);
  }
  // Under the same ids it is the same message, however its words come back, and with words that it did not have.
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

/** What was erased cannot be compared: it is taken to be the first message that is not found elsewhere. */
function wholeMessage(list: ListGroup, matched: ReadonlyMap<Part, number>): readonly Part[] | undefined {
  const first = list.parts.find((part) => !matched.has(part));
  return first && list.parts.filter((part) => part.of === first.of && !matched.has(part));
}

/** The parts of the list that say what an entry says, in its order; undefined if the list does not go on so. */
function findWords(
  words: readonly Part[],
  { digest }: OurEntry,
  free: (stream: Part["stream"]) => readonly Part[],
): readonly Part[] | undefined {
  const streams = [...new Set(words.map(({ stream }) => stream))];
  const found = streams.map((stream) => {
    const own = words.filter((part) => part.stream === stream);
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

/** So many texts, from the first on, as make up a text together. */
function findText(text: string, parts: readonly Part[]): readonly Part[] | undefined {
  let joined = "";
  for (const [index, { key }] of parts.entries()) {
    joined += key;
    if (joined === text) return parts.slice(0, index + 1);
    if (!text.startsWith(joined)) return undefined;
  }
  return undefined;
}

/** The same for a text that is in a file, by its digest. */
function findStored(parts: readonly Part[], digest: string): readonly Part[] | undefined {
  const texts: string[] = [];
  for (const [index, { block }] of parts.entries()) {
    texts.push(block.kind === "text" ? block.text : "");
    if (sha256(texts.join("\n")) === digest) return parts.slice(0, index + 1);
  }
  return undefined;
}

/** What makes a log say what a list says. */
export interface Alignment {
  /** The entry to cut at; absent if nothing has to go. */
  readonly cutAt?: number;
  /** What is to be appended then. */
  readonly fresh: readonly Part[];
  readonly altered: readonly number[];
  /** How many groups of the list were found in whole before the first difference. */
  readonly groups: number;
}

/** Walks through a list and a log, group by group, to the first difference. */
export async function align(list: readonly ListGroup[], ours: AsyncIterable<OurGroup>): Promise<Alignment> {
  const altered: number[] = [];
  let index = 0;
  let before: GroupMatch | undefined;
  for await (const own of ours) {
    const required = own.entries.find(({ presence }) => presence === "required");
    const group = list[index];
    // The list has something that the log has not, and the log goes on: an insertion.
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

/** Parts of a group that the log does not have. Thinking is fresh with the words and calls of its message. */
function extras(group: ListGroup, { matched }: GroupMatch): readonly Part[] {
  const fresh = group.parts.filter((part) => part.stream !== "silent" && !matched.has(part));
  const found = new Set(group.parts.filter((part) => matched.has(part)).map(({ of }) => of));
  const messages = new Set(fresh.map(({ of }) => of).filter((of) => !found.has(of)));
  return group.parts.filter((part) => (part.stream === "silent" ? messages.has(part.of) : fresh.includes(part)));
}

function partsFrom(list: readonly ListGroup[], index: number): readonly Part[] {
  return list.slice(index).flatMap(({ parts }) => parts);
}

interface Pruned {
  readonly plan: Alignment;
  /** Entries of calls and results that the list lacks. They stay. */
  readonly entries: readonly number[];
}

/**
 * What makes a log say what a list says of which a framework has pruned tool calls and results. Undefined if the list lacks
 * none of them, or only those behind all that it has: then an answer was taken back.
 * @param cutAt where the session would be cut if nothing had been pruned
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
  // The calls of an entry stand behind its text: the list has nothing behind them, so it has other calls instead, or none.
  if (pruned.some(({ entry }) => entry === last)) return undefined;
  const entries = pruned.map(({ entry }) => entry).filter((entry) => entry < last);
  const behind = pruned.find(({ entry }) => entry > last && entry < end);
  const cut = behind?.cutAt ?? aligned.cutAt;
  if (entries.length === 0 || (cut ?? Number.POSITIVE_INFINITY) <= cutAt) return undefined;
  const { cutAt: _, ...plan } = aligned;
  return { plan: cut === undefined ? plan : { ...plan, cutAt: cut }, entries };
}

function isTool({ stream }: Part): boolean {
  return stream === "call" || stream === "result";
}

/**
 * What a list adds to a log whose end it has, but not its beginning: the framework has dropped the beginning, or put a summary in
 * its place. Undefined if the list is none of that.
 *
 * The list must have all of the log from some point on, with an answer of the model in it, and fewer messages than the log before
 * that point: a list with as many has had one of them edited.
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
    const isNext = headGroups === 0 && group !== undefined && goesOn(group, own, at);
    if (isNext) {
      hasAnswer ||= own.role === "assistant";
      at--;
    } else headGroups++;
    // More before that point than the list has: enough is known.
    if (headGroups > at + 1) return hasAnswer ? fresh : undefined;
  }
  return undefined;
}

function fits(group: ListGroup, own: OurGroup): boolean {
  return group.role === own.role && matchGroup(group, own).missingAt === undefined;
}

/** The first group of a list may lack something: it can have been cut in the middle. */
function goesOn(group: ListGroup, own: OurGroup, at: number): boolean {
  if (group.role !== own.role) return false;
  const match = matchGroup(group, own);
  return extras(group, match).length === 0 && (match.missingAt === undefined || (at === 0 && match.matched.size > 0));
}

/** Of entries that came back altered, those that are no failed results. */
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

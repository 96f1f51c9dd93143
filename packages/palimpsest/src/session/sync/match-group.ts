import { sha256 } from "../../stores/sha256.ts";
import type { OurEntry, OurGroup } from "./conversation.ts";
import type { ListGroup } from "./list-groups.ts";
import type { Part } from "./to-parts.ts";

/** How a group of the list and one of the log fit. */
export interface GroupMatch {
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

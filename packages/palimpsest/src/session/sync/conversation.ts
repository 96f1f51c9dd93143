import type { Entry } from "../../log/entry.ts";
import { readEntries } from "../../stores/read-entries.ts";
import type { LogReader } from "../../stores/store.ts";
import { type BranchRange, branchRanges } from "../branch-ranges.ts";
import { readWithStub } from "../erase/read-with-stub.ts";
import { SYSTEM_ATTACHMENT } from "./new-contents.ts";
import { type Part, toParts } from "./to-parts.ts";

/** An entry of the log that a list may have. */
export interface OurEntry {
  readonly entry: number;
  readonly role: "user" | "assistant";
  readonly parts: readonly Part[];
  /** Where the session is cut so that this entry goes: before what stands silently in front of it. */
  readonly cutAt: number;
  /** `optional`: the host has appended it by itself, so a list need not have it. */
  readonly presence: "required" | "optional";
  readonly responseId?: string;
  /** The digest of its text, if the text is in a file: then its blocks have a preview. */
  readonly digest?: string;
  /** Erased: whatever a list says in its place is what was erased. */
  readonly erased: boolean;
}

/** All that one side has said before the other did. */
export interface OurGroup {
  readonly role: "user" | "assistant";
  readonly entries: readonly OurEntry[];
}

const BATCH_ENTRIES = 128;

/** The conversation on the branch that ends at an entry, in groups, oldest first, from behind an entry on. */
export async function* readConversation(log: LogReader, at: number, after = 0): AsyncGenerator<OurGroup> {
  const ranges: BranchRange[] = [];
  for await (const { from, to } of branchRanges(log, at)) {
    ranges.unshift({ from: Math.max(from, after + 1), to });
    if (from <= after) break;
  }
  yield* groupEntries(forward(log, ranges));
}

/** The same, newest first, each group in the order of its entries. Reads back only as far as it is asked. */
export async function* readConversationBack(log: LogReader, at: number): AsyncGenerator<OurGroup> {
  for await (const { role, entries } of groupEntries(backward(log, at))) yield { role, entries: entries.toReversed() };
}

/** Entries as groups, in their order. */
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

/** `silent`: it says nothing that could be compared, and goes with what stands behind it. */
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
  const known = {
    ...(responseId === undefined ? {} : { responseId }),
    ...(stored === undefined ? {} : { digest: stored.digest }),
  };
  const presence = ["human", "model", "tool"].includes(origin) ? "required" : "optional";
  return { ...own, role: parts[0]!.role, parts, presence, ...known };
}

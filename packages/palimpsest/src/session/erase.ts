// Erases the content of an entry from the log, the stored results and the search index.

import type { Ahead } from "../compact/ahead.ts";
import { type Draft, namedKind, type ReadEntry, readPayload, toDraft, toNamedDraft } from "../log/entry.ts";
import type { PayloadKind } from "../log/payload.ts";
import type { SessionCore } from "../state/core.ts";
import { stubOf } from "../state/load.ts";
import type { SessionState } from "../state/state.ts";
import { textOf } from "../store-results/preview.ts";
import { sha256 } from "../stores/sha256.ts";
import type { LogReader } from "../stores/store.ts";
import { firstOverlapping } from "../view/fold.ts";

/** The parts of a session that erasing needs. */
interface ErasingParts extends SessionCore {
  readonly ahead: Pick<Ahead, "after">;
}

/** The outcome of erasing an entry. */
export type Erased =
  | {
      readonly kind: "erased";
      /** The entries whose payload was erased: the requested entry, and decisions, pins and prepared summaries that quoted it. */
      readonly entries: readonly number[];
      /** Summaries and notes that were made from the entry and may still repeat its content. */
      readonly mayRepeat: readonly number[];
    }
  | { readonly kind: "absent"; readonly entry: number }
  /** The entry is not a message or an attachment. */
  | { readonly kind: "not-content"; readonly entry: number; readonly entryKind: string }
  /** The entry belongs to the parent of this fork. Erase it there. */
  | { readonly kind: "of-parent"; readonly entry: number };

/**
 * Erases the content of an entry: from the log, the stored results and the search index. A stub replaces the entry on
 * every branch, and the hash chain stays valid. Also erased are decisions about this entry alone (a preview quotes it),
 * pins made from it, summaries of it that were prepared, and its stored result. Reads all decisions and pins since the entry. What the
 * parts of a compaction have collected is collected again by the next compaction, without the entry.
 */
export async function erase({ state, ports, resultSession, ahead }: ErasingParts, entry: number): Promise<Erased> {
  const { log, sharedTo } = state;
  const [found] = Number.isSafeInteger(entry) && entry > 0 ? await log.read(entry, entry) : [];
  if (found === undefined) return { kind: "absent", entry };
  if (entry <= sharedTo) return { kind: "of-parent", entry };
  if (found.kind !== "message" && found.kind !== "attachment") {
    return { kind: "not-content", entry, entryKind: found.kind };
  }
  const quoting = [
    ...(await newerThan(log, "replace", entry)).filter(({ payload }) => payload.from === entry && payload.to === entry),
    ...(await newerThan(log, "pin", entry)).filter(({ payload }) => payload.of === entry),
    // Nothing needs the text of a prepared summary. A compaction that used one has a copy.
    ...(await newerThan(log, "prepared", entry)).filter(
      ({ payload }) => payload.step === "written" && payload.from <= entry && entry <= payload.to,
    ),
  ].map(({ sequence }) => sequence);
  const read = readPayload(found);
  if (read.kind === "message" || read.kind === "attachment") {
    const because = `entry ${entry} was erased`;
    const dropped = ahead.after({ range: { from: entry, to: entry }, reason: "content-changed", because });
    await showStub(read, state, dropped.drafts);
    dropped.tell();
    // Erase the log last: as long as it names the stored result, erasing can be repeated.
    for (const file of filesOf(read)) await ports.files.remove(resultSession, file);
  }
  const entries = [entry, ...quoting];
  await state.erase(entries);
  return { kind: "erased", entries, mayRepeat: await repeating(log, entry) };
}

/** Finds the readable entries of a kind after an entry, on all branches. */
async function newerThan<Kind extends PayloadKind>(
  log: LogReader,
  kind: Kind,
  entry: number,
): Promise<readonly Extract<ReadEntry, { kind: Kind }>[]> {
  const found: Extract<ReadEntry, { kind: Kind }>[] = [];
  for (let at = await log.newest(kind); at !== undefined && at.sequence > entry; ) {
    const read = readPayload(at);
    if (read.kind === kind) found.push(read as Extract<ReadEntry, { kind: Kind }>);
    at = await log.newest(kind, at.sequence);
  }
  return found;
}

/** Appends the stub. If the entry is in view, also appends the decision from which the request changes. */
async function showStub(
  read: Extract<ReadEntry, { kind: "message" | "attachment" }>,
  state: SessionState,
  dropped: readonly Draft[],
) {
  const { sequence: entry } = read;
  const erased = stubOf(read);
  const { role, origin } = erased.was === "message" ? erased.stub : ({ role: "user", origin: "host" } as const);
  const { provenance } = erased.stub;
  const source = provenance === undefined ? {} : { provenance };
  const type = erased.was === "message" ? {} : { attachment: erased.stub.type };
  const item = state.view.items[firstOverlapping(state.view.items, { from: entry })];
  const isShown = item?.kind === "message" && item.from === entry && item.to === entry;
  const isEntered = (await state.log.newest(namedKind("erased", entry))) !== undefined;
  const stub = { role, origin, blocks: erased.stub.blocks, ...source, ...type };
  await state.append([
    // The first is found by the number of the erased entry, the second as the newest erasure.
    ...(isEntered ? [] : [toNamedDraft("erased", `${entry}`, erased), toDraft("erased", erased)]),
    ...(isShown ? [toDraft("replace", { from: entry, to: entry, with: [stub], reason: "erased" })] : []),
    ...state.carriedState.pins.flatMap(({ entry: pin, of }) => (of === entry ? [toDraft("unpin", { of: pin })] : [])),
    ...dropped,
  ]);
}

/**
 * Lists the files of an entry. A result that was stored because its round was too large also has a file named after its
 * text.
 */
function filesOf({ kind, payload }: Extract<ReadEntry, { kind: "message" | "attachment" }>): readonly string[] {
  if (kind === "attachment") return [];
  const digest = sha256(textOf(payload));
  return [...(payload.stored === undefined ? [] : [payload.stored.file]), `${digest}.txt`, `${digest}.json`];
}

async function repeating(log: LogReader, entry: number): Promise<readonly number[]> {
  // Include boundaries that did not compact the entry: a boundary carries pins and the files that were read.
  const boundaries = await newerThan(log, "boundary", entry);
  const notes = (await newerThan(log, "notes", entry)).filter(({ payload }) => payload.coveredTo >= entry);
  return [...boundaries, ...notes].map(({ sequence }) => sequence).toSorted((one, other) => one - other);
}

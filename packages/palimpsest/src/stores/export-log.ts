// Exports a log as lines of JSON, and imports such lines into an empty log.

import { type ChainProblem, checkChain, EMPTY_LOG, type Entry, fromLine, resealEntry, toLine } from "../log/entry.ts";
import { checkArgument, type Needed, withMethods } from "../schema/check-options.ts";
import { BATCH_ENTRIES, readEntries } from "./read.ts";
import { sha256 } from "./sha256.ts";
import type { AppendResult, LogReader, LogWriter } from "./store.ts";

/**
 * Exports a log as lines of JSON, one entry each, oldest first. A log with keyed digests is exported with SHA-256 digests, which
 * any importer can check.
 */
export async function* exportLog(reader: LogReader): AsyncGenerator<string> {
  checkArgument("exportLog(reader)", reader, withMethods(["head", "read"], "what store.openReader(session) returns"));
  const { sequence: last } = await reader.head();
  let before = EMPTY_LOG;
  for await (const entry of readEntries(reader, 1, last)) {
    const exported = reader.digests === "keyed" ? resealEntry(entry, before.hash, { digest: sha256 }) : entry;
    yield toLine(exported);
    before = exported;
  }
}

/** Fills an empty log with exported lines. Imports only entries that the hash chain confirms. */
export async function importLog(
  writer: LogWriter,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportResult> {
  checkArgument("importLog(writer)", writer, withMethods(["append"], "the writer that store.openWriter() returns"));
  checkArgument("importLog(writer, lines)", lines, LINES);
  let before = EMPTY_LOG;
  let newest = EMPTY_LOG;
  let line = 0;
  let batch: Entry[] = [];
  const flush = async (): Promise<ImportResult | undefined> => {
    const result = await writer.append(batch);
    batch = [];
    return result.kind === "appended" ? undefined : { kind: "refused", because: result };
  };
  for await (const text of lines) {
    line++;
    const entry = fromLine(text);
    const problem = entry === undefined ? "not-an-entry" : checkChain([entry], before, sha256)[0]?.what;
    if (entry === undefined || problem !== undefined) {
      return (await flush()) ?? { kind: "damaged", line, problem: problem ?? "not-an-entry" };
    }
    before = entry;
    const { digest: payloadDigest } = writer;
    const own = payloadDigest ? resealEntry(entry, newest.hash, { digest: sha256, payloadDigest }) : entry;
    newest = own;
    batch.push(own);
    const refused = batch.length === BATCH_ENTRIES ? await flush() : undefined;
    if (refused !== undefined) return refused;
  }
  return (await flush()) ?? { kind: "imported", entries: line };
}

type ImportResult =
  | { readonly kind: "imported"; readonly entries: number }
  /** A line is not an entry, or the entry was changed. The lines before this line were imported. */
  | { readonly kind: "damaged"; readonly line: number; readonly problem: ChainProblem["what"] | "not-an-entry" }
  /** The target log is not empty, or another writer has taken it over. */
  | { readonly kind: "refused"; readonly because: Exclude<AppendResult, { kind: "appended" }> };

const LINES: Needed = {
  needed: "an iterable of lines, as exportLog() returns them",
  fits: (value) =>
    typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value),
};

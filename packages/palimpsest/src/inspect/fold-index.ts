import { lineOf } from "../cost/cost.ts";
import { foldLedger } from "../cost/fold.ts";
import { EMPTY_LEDGER, type Ledger } from "../cost/ledger.ts";
import type { PassedOver, ReadEntry } from "../log/draft.ts";
import type { Entry } from "../log/entry.ts";
import { readWithStub } from "../session/erase/read-with-stub.ts";
import { loadView } from "../state/load.ts";
import type { LogReader } from "../stores/store.ts";
import { foldEntry } from "../view/fold.ts";
import type { View } from "../view/view.ts";
import { eventOf } from "./event-of.ts";
import type { IndexRow } from "./index-rows.ts";
import { createWindowCounter, type WindowCounter } from "./window-counter.ts";

/** Where the indexing of a log stands: it goes on from any entry, because a view can be had at any entry. */
export interface IndexState {
  /** The newest entry that was indexed. */
  readonly at: number;
  readonly view: View;
  readonly ledger: Ledger;
  readonly counter: WindowCounter;
}

/** The state at an entry. Reads from the newest boundary there, not from the beginning of the log. */
export async function indexStateAt(log: LogReader, at: number, sharedTo = 0): Promise<IndexState> {
  const { view, ledger } = await loadView(log, at);
  // What a fork shares with its parent was paid by the parent.
  return { at, view, ledger: at <= sharedTo ? EMPTY_LEDGER : ledger, counter: createWindowCounter() };
}

/** Adds one entry. @returns the state behind it, and the row that it makes, if it makes one */
export async function foldIndex(
  state: IndexState,
  entry: Entry,
  log: LogReader,
): Promise<{ readonly state: IndexState; readonly row?: IndexRow }> {
  const read = await readWithStub(log, entry);
  const { atMs, sequence: at } = entry;
  const row = rowOf(state, read, atMs);
  const ledger = foldLedger(state.ledger, read, atMs);
  // Going back is reading again, as in a session.
  const isBack = read.kind === "rewind" || read.kind === "restore";
  const view = isBack ? (await loadView(log, at)).view : state.view;
  if (!isBack) foldEntry(view, read);
  const { counter } = state;
  const made = read.kind === "request" ? requestRow(view, read, atMs, counter) : row;
  return { state: { at, view, ledger, counter }, ...(made === undefined ? {} : { row: made }) };
}

function requestRow(
  view: View,
  read: Extract<ReadEntry, { kind: "request" }>,
  atMs: number,
  counter: WindowCounter,
): IndexRow {
  const { source = "main" } = read.payload;
  const model = view.configuration?.model ?? "";
  return { kind: "request", entry: read.sequence, atMs, source, model, window: counter.count(view) };
}

function rowOf({ ledger }: IndexState, read: ReadEntry | PassedOver, atMs: number): IndexRow | undefined {
  if (read.kind !== "usage") return eventOf(read, atMs);
  const line = lineOf(ledger, read.sequence, read.payload, atMs);
  const { model, source, freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = line;
  return {
    kind: "response",
    entry: read.sequence,
    atMs,
    model,
    source,
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    ...(line.request === undefined ? {} : { request: line.request }),
    ...(line.priceUsd === undefined ? {} : { priceUsd: line.priceUsd }),
    ...(line.gapUsd === undefined ? {} : { gapUsd: line.gapUsd }),
    ...(line.break === undefined ? {} : { break: line.break }),
  };
}

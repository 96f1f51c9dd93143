import type { DatabaseSync, StatementSync } from "node:sqlite";
import { foldLedger } from "../cost/fold.ts";
import { type CacheBreak, EMPTY_LEDGER, type Ledger } from "../cost/ledger.ts";
import { lineOf } from "../cost/line.ts";
import type { Block } from "../log/block.ts";
import type { PassedOver, ReadEntry } from "../log/draft.ts";
import { EMPTY_LOG, type Entry, type LogHead } from "../log/entry.ts";
import type { UsagePayload } from "../log/payload.ts";
import { estimateTokens } from "../size/calibration.ts";
import { FEATURE_NAMES, type FeatureName, type Features, featuresOf, NO_FEATURES } from "../size/features.ts";
import { loadView, readWithStub } from "../state/load.ts";
import type { LogReader } from "../stores/store.ts";
import { foldEntry } from "../view/fold.ts";
import { definitionBlock } from "../view/items.ts";
import { headTools } from "../view/tool-search.ts";
import type { Configuration, MessageItem, View } from "../view/view.ts";
import { contentPlaceOf } from "./segment.ts";

/** What of a log its index holds: a row for each request, each response, and each event that a timeline shows. */
export type IndexRow = RequestRow | ResponseRow | EventRow;

/** The sources that fill a window, in the order in which a chart stacks them. */
export const WINDOW_SOURCES = [
  "system",
  "tools",
  "human",
  "summary",
  "assistant",
  "tool-call",
  "tool-result",
  "command",
  "attachment",
  "other",
] as const;

/** Where content of the context window comes from. */
export type WindowSource = (typeof WINDOW_SOURCES)[number];

interface RequestRow {
  readonly kind: "request";
  readonly entry: number;
  readonly atMs: number;
  readonly source: string;
  readonly model: string;
  /** Estimated tokens by source: one number for each of `WINDOW_SOURCES`. */
  readonly window: readonly number[];
}

interface ResponseRow
  extends Pick<UsagePayload, "model" | "freshTokens" | "cacheReadTokens" | "cacheWriteTokens" | "outputTokens"> {
  readonly kind: "response";
  readonly entry: number;
  readonly atMs: number;
  readonly request?: number;
  readonly source: string;
  readonly priceUsd?: number;
  readonly gapUsd?: number;
  readonly break?: CacheBreak;
}

/** Something that happened between requests, for flags on a timeline. */
export interface EventRow {
  readonly kind: "event";
  readonly entry: number;
  readonly atMs: number;
  readonly event: IndexedEvent;
  /** What was said, or why: its beginning, in one line. Text of others. */
  readonly text: string;
}

/** The kinds of events that an index has. */
export type IndexedEvent =
  | "said"
  | "boundary"
  | "replace"
  | "restore"
  | "rewind"
  | "fork"
  | "overflow"
  | "attempt"
  | "agent"
  /** A message of another agent or session. */
  | "mail"
  | "configuration"
  | "notes"
  | "pin"
  | "erased";

const TEXT_CHARACTERS = 160;
/** The attachments by which agents reach a session: a message, and the result of an agent that it started. */
const MAIL: readonly string[] = ["agent-message", "agent-result"];

/** The event that an entry is on a timeline; undefined if it is none. */
function eventOf(read: ReadEntry | PassedOver, atMs: number): EventRow | undefined {
  const row = (event: IndexedEvent, text: string): EventRow => ({
    kind: "event",
    entry: read.sequence,
    atMs,
    event,
    text: oneLine(text),
  });
  switch (read.kind) {
    case "message":
      return read.payload.origin === "human" ? row("said", saidIn(read.payload.blocks)) : undefined;
    case "boundary":
    case "replace":
    case "restore":
    case "rewind":
      return row(read.kind, read.payload.reason);
    case "fork":
      return row("fork", read.payload.session);
    case "overflow":
      return row("overflow", read.payload.how ?? "refused");
    case "attempt":
      return row("attempt", read.payload.why);
    case "agent":
      return row("agent", read.payload.step === "started" ? read.payload.goal : read.payload.step);
    case "attachment":
      return MAIL.includes(read.payload.type) ? row("mail", saidIn(read.payload.blocks)) : undefined;
    case "configuration":
      return row("configuration", read.payload.cause ?? "");
    case "notes":
      return row("notes", "");
    case "pin":
      return row("pin", read.payload.text);
    case "erased":
      return row("erased", String(read.payload.entry));
    default:
      return undefined;
  }
}

function saidIn(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text.slice(0, 4 * TEXT_CHARACTERS)] : [])).join(" ");
}

function oneLine(text: string): string {
  return text
    .slice(0, 4 * TEXT_CHARACTERS)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, TEXT_CHARACTERS)
    .toWellFormed();
}

/** Counts what fills a window, again and again as it grows. */
interface WindowCounter {
  /** The tokens in the view by their source, as an estimate: one number for each of `WINDOW_SOURCES`. */
  count(view: View): readonly number[];
}

type Sums = Record<WindowSource, Record<FeatureName, number>>;

/** Only items that are new since the last count are counted, unless something before them has changed. */
function createWindowCounter(): WindowCounter {
  let sums = newSums();
  let counted = 0;
  let last: View | undefined;
  let configured: Configuration | undefined;
  return {
    count(view) {
      const { items, configuration, calibration, featureOptions } = view;
      if (view !== last || view.unchangedItems < counted || configuration !== configured) {
        sums = newSums();
        counted = 0;
        if (configuration !== undefined) addConfiguration(sums, configuration, featureOptions);
      }
      for (const item of items.slice(counted)) if (item.kind === "message") addItem(sums, item, featureOptions);
      counted = items.length;
      view.unchangedItems = items.length;
      last = view;
      configured = configuration;
      return WINDOW_SOURCES.map((source) => estimateTokens(calibration, sums[source]));
    },
  };
}

function newSums(): Sums {
  return Object.fromEntries(WINDOW_SOURCES.map((source) => [source, { ...NO_FEATURES }])) as Sums;
}

function addConfiguration(sums: Sums, { system, tools }: Configuration, options: View["featureOptions"]): void {
  add(sums.system, featuresOf({ kind: "text", text: system }, options));
  for (const tool of headTools(tools)) add(sums.tools, featuresOf(definitionBlock(tool), options));
}

function addItem(sums: Sums, item: MessageItem, options: View["featureOptions"]): void {
  const { blocks, features } = item;
  for (const block of blocks) {
    add(sums[contentPlaceOf(block, item)], blocks.length === 1 ? features : featuresOf(block, options));
  }
}

function add(sum: Record<FeatureName, number>, more: Features): void {
  for (const name of FEATURE_NAMES) sum[name] += more[name];
}

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

/** Rises when the tables or the meaning of a column change: an index of another format is made again. */
export const INDEX_FORMAT = 1;

export const INDEX_SCHEMA: string = `
  CREATE TABLE IF NOT EXISTS head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS requests (
    ordinal INTEGER PRIMARY KEY, entry INTEGER NOT NULL UNIQUE, at_ms INTEGER NOT NULL, source TEXT NOT NULL,
    model TEXT NOT NULL, tokens INTEGER NOT NULL, window TEXT NOT NULL,
    -- Of its response: a timeline reads one table, row by row.
    fresh INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER, usd REAL, gap_usd REAL, lost INTEGER
  );
  CREATE TABLE IF NOT EXISTS responses (
    entry INTEGER PRIMARY KEY, request INTEGER, at_ms INTEGER NOT NULL, source TEXT NOT NULL, model TEXT NOT NULL,
    fresh INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, output INTEGER NOT NULL,
    usd REAL, gap_usd REAL, lost TEXT
  );
  CREATE INDEX IF NOT EXISTS losses ON responses (entry) WHERE lost IS NOT NULL;
  CREATE TABLE IF NOT EXISTS events (entry INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, event TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS events_by_kind ON events (event, entry);
`;

export interface IndexDatabase {
  readonly database: DatabaseSync;
  readonly statement: (sql: string) => StatementSync;
}

/** How far the index goes: the number and the hash of the newest entry in it. */
export function readIndexHead({ statement }: IndexDatabase): LogHead {
  return (statement("SELECT sequence, hash FROM head").get() as unknown as LogHead | undefined) ?? EMPTY_LOG;
}

/** Writes rows and the new head as one; `elsewhere`: another process has written since, and nothing was written. */
export function writeRows(
  index: IndexDatabase,
  rows: readonly IndexRow[],
  { after, head }: { readonly after: LogHead; readonly head: LogHead },
): "written" | "elsewhere" {
  const { database, statement } = index;
  database.exec("BEGIN IMMEDIATE");
  try {
    if (readIndexHead(index).hash !== after.hash) {
      database.exec("ROLLBACK");
      return "elsewhere";
    }
    for (const row of rows) writeRow(index, row);
    statement("INSERT OR REPLACE INTO head VALUES (1, ?, ?)").run(head.sequence, head.hash);
    database.exec("COMMIT");
    return "written";
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function writeRow({ statement }: IndexDatabase, row: IndexRow): void {
  const { entry, atMs } = row;
  switch (row.kind) {
    case "request": {
      const tokens = row.window.reduce((sum, part) => sum + part, 0);
      statement("INSERT INTO requests (entry, at_ms, source, model, tokens, window) VALUES (?, ?, ?, ?, ?, ?)").run(
        ...[entry, atMs, row.source, row.model, tokens, JSON.stringify(row.window)],
      );
      return;
    }
    case "response": {
      const counts = [row.freshTokens, row.cacheReadTokens, row.cacheWriteTokens, row.outputTokens];
      const prices = [row.priceUsd ?? null, row.gapUsd ?? null];
      statement("INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
        ...[entry, row.request ?? null, atMs, row.source, row.model, ...counts, ...prices],
        row.break === undefined ? null : JSON.stringify(row.break),
      );
      if (row.request === undefined) return;
      statement(
        `UPDATE requests SET fresh = ?, cache_read = ?, cache_write = ?, output = ?, usd = ?, gap_usd = ?, lost = ?
        WHERE entry = ? AND source = ?`,
      ).run(...counts, ...prices, row.break === undefined ? null : 1, row.request, row.source);
      return;
    }
    case "event":
      statement("INSERT INTO events VALUES (?, ?, ?, ?)").run(entry, atMs, row.event, row.text);
      // An erased text is erased here, too.
      if (row.event === "erased") statement("UPDATE events SET text = '' WHERE entry = ?").run(Number(row.text));
  }
}

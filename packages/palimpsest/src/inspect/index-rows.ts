// Turns the entries of a log into the rows of its index: requests, responses and events.

import { foldLedger, lineOf } from "../cost/fold.ts";
import { type CacheBreak, EMPTY_LEDGER, type Ledger } from "../cost/ledger.ts";
import type { Block } from "../log/block.ts";
import type { Entry, PassedOver, ReadEntry } from "../log/entry.ts";
import type { UsagePayload } from "../log/payload.ts";
import {
  estimateTokens,
  FEATURE_NAMES,
  type FeatureName,
  type Features,
  featuresOf,
  NO_FEATURES,
} from "../size/calibration.ts";
import { loadView, readWithStub } from "../state/load.ts";
import type { LogReader } from "../stores/store.ts";
import { foldEntry } from "../view/fold.ts";
import { definitionBlock } from "../view/items.ts";
import { headTools } from "../view/tool-search.ts";
import type { Configuration, MessageItem, View } from "../view/view.ts";
import { contentPlaceOf } from "./segment.ts";

/** The state of indexing a log. Indexing can continue at any entry, because the view can be loaded at any entry. */
export interface IndexState {
  /** The newest indexed entry. */
  readonly at: number;
  readonly view: View;
  readonly ledger: Ledger;
  readonly counter: WindowCounter;
}

/** Returns the state at an entry. Reads from the newest boundary before the entry, not from the beginning of the log. */
export async function indexStateAt(log: LogReader, at: number, sharedTo = 0): Promise<IndexState> {
  const { view, ledger } = await loadView(log, at);
  // The parent of a fork paid for the shared entries.
  return { at, view, ledger: at <= sharedTo ? EMPTY_LEDGER : ledger, counter: createWindowCounter() };
}

/** Adds one entry. @returns the state after the entry, and its row, if the entry has one */
export async function foldIndex(
  state: IndexState,
  entry: Entry,
  log: LogReader,
): Promise<{ readonly state: IndexState; readonly row?: IndexRow }> {
  const read = await readWithStub(log, entry);
  const { atMs, sequence: at } = entry;
  const row = rowOf(state, read, atMs);
  const ledger = foldLedger(state.ledger, read, atMs);
  // A rewind or restore loads the view again, as in a session.
  const isBack = read.kind === "rewind" || read.kind === "restore";
  const view = isBack ? (await loadView(log, at)).view : state.view;
  if (!isBack) foldEntry(view, read);
  const { counter } = state;
  const made = read.kind === "request" ? requestRow(view, read, atMs, counter) : row;
  return { state: { at, view, ledger, counter }, row: made };
}

/** A row of an index: a request, a response, or an event that a timeline shows. */
export type IndexRow = RequestRow | ResponseRow | EventRow;

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
  /** The beginning of the message or of the reason, in one line. The text may come from others. */
  readonly text: string;
}

/** The kinds of events in an index. */
export type IndexedEvent =
  | "said"
  | "boundary"
  /** A decision about the window that clears results. */
  | "decision"
  | "replace"
  | "restore"
  | "rewind"
  | "fork"
  | "overflow"
  | "attempt"
  | "agent"
  /** A message from another agent or session. */
  | "mail"
  | "configuration"
  | "notes"
  | "pin"
  | "erased";

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
    request: line.request,
    priceUsd: line.priceUsd,
    gapUsd: line.gapUsd,
    break: line.break,
  };
}

/** Returns the timeline event of an entry; undefined if a timeline does not show the entry. */
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
      return read.payload.origin === "human" ? row("said", textIn(read.payload.blocks)) : undefined;
    case "boundary":
    case "replace":
    case "restore":
    case "rewind":
      return row(read.kind, read.payload.reason);
    case "decision":
      return row("decision", read.payload.because);
    case "fork":
      return row("fork", read.payload.session);
    case "overflow":
      return row("overflow", read.payload.how ?? "refused");
    case "attempt":
      return row("attempt", read.payload.why);
    case "agent":
      return row("agent", read.payload.step === "started" ? read.payload.goal : read.payload.step);
    case "attachment":
      return MAIL.includes(read.payload.type) ? row("mail", textIn(read.payload.blocks)) : undefined;
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

/** The attachments through which agents reach a session: a message, or the result of an agent that the session started. */
const MAIL: readonly string[] = ["agent-message", "agent-result"];

const TEXT_CHARACTERS = 160;

function textIn(blocks: readonly Block[]): string {
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

/** The origin of content in the context window. */
export type WindowSource = (typeof WINDOW_SOURCES)[number];

/** Counts the content of a growing context window by source. */
interface WindowCounter {
  /** Estimates the tokens in the view by source: one number for each of `WINDOW_SOURCES`. */
  count(view: View): readonly number[];
}

/** Creates a counter that counts only the items that are new since the last count, unless earlier items have changed. */
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

type Sums = Record<WindowSource, Record<FeatureName, number>>;

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

// Reads the state of a session from its log: finds the branch of an entry, and builds the view, the ledger and the
// carried state.

import { foldLedger } from "../cost/fold.ts";
import { EMPTY_LEDGER, type Ledger, readLedger } from "../cost/ledger.ts";
import type { Block } from "../log/block.ts";
import { type Entry, namedKind, type PassedOver, type ReadEntry, readPayload } from "../log/entry.ts";
import type { ErasedPayload, Held, Shown } from "../log/payload.ts";
import { type FeatureOptions, readCalibration, startCalibration } from "../size/calibration.ts";
import { readEntries } from "../stores/read.ts";
import type { LogReader } from "../stores/store.ts";
import { awaitAnswer, foldEntry, forgetReport } from "../view/fold.ts";
import { itemOf, replacementItems, resolveConfiguration } from "../view/items.ts";
import { type Configuration, createView, type Item, type View } from "../view/view.ts";
import { type CarriedState, EMPTY_CARRIED_STATE, foldCarriedState } from "./carried.ts";
import { withEntries } from "./log.ts";

export interface Loaded {
  readonly view: View;
  readonly ledger: Ledger;
  readonly carriedState: CarriedState;
}

/**
 * Loads the view, the ledger and the carried state at an entry, from the newest boundary in effect there. Does not read
 * earlier entries.
 */
export async function loadView(log: LogReader, at: number, options: FeatureOptions = {}): Promise<Loaded> {
  const { boundary, ranges, undone } = await findBranch(log, at);
  const view =
    boundary === undefined
      ? createView(startCalibration(), options)
      : await viewAtBoundary(log, boundary, undone, options);
  let ledger = boundary === undefined ? EMPTY_LEDGER : readLedger(boundary.payload.state.ledger);
  let carriedState = boundary === undefined ? EMPTY_CARRIED_STATE : foldCarriedState(EMPTY_CARRIED_STATE, boundary, 0);
  for (const { from, to } of ranges) {
    for await (const entry of readEntries(log, from, to)) {
      const read = await readWithStub(log, entry);
      // Count the cost of entries that were undone too.
      ledger = foldLedger(ledger, read, entry.atMs);
      if (isUndone(read, undone)) continue;
      foldEntry(view, read);
      carriedState = foldCarriedState(carriedState, read, entry.atMs);
    }
  }
  view.unchangedItems = 0;
  return { view, ledger, carriedState };
}

type Boundary = Extract<ReadEntry, { kind: "boundary" }>;

/** The part of the log that determines the view at an entry. */
interface Branch {
  /** The newest boundary in effect. Undefined if the branch must be read from its beginning. */
  readonly boundary: Boundary | undefined;
  /** The entries of the branch after the boundary, oldest first. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  /** Decisions that were undone. */
  readonly undone: ReadonlySet<number>;
}

/**
 * Walks back from an entry along its branch, and reads only the entries that decide the way: a rewind leads to its
 * target, a restore undoes a decision, and a boundary in effect ends the walk. Costs a few seeks for each of them.
 */
export async function findBranch(log: LogReader, at: number): Promise<Branch> {
  const ranges: { from: number; to: number }[] = [];
  const undone = new Set<number>();
  let to = at;
  let below = at + 1;
  for (;;) {
    const branching = await newestBranching(log, below);
    if (branching === undefined) {
      if (to > 0) ranges.unshift({ from: 1, to });
      return { boundary: undefined, ranges, undone };
    }
    below = branching.sequence;
    if (branching.entry.kind === "rewind") {
      ranges.unshift({ from: branching.sequence, to });
      to = branching.entry.parent;
      below = branching.entry.parent + 1;
    } else if (branching.kind === "restore") {
      undone.add(branching.payload.of);
    } else if (branching.kind === "boundary" && !undone.has(branching.sequence)) {
      if (branching.sequence < to) ranges.unshift({ from: branching.sequence + 1, to });
      return { boundary: branching, ranges, undone };
    }
  }
}

/** The entries of a branch from the beginning of the log up to an entry, oldest first, also those before boundaries. */
export async function wholeBranch(log: LogReader, at: number): Promise<Branch["ranges"]> {
  const ranges: { from: number; to: number }[] = [];
  let to = at;
  for (;;) {
    const rewind = await log.newest("rewind", to + 1);
    if (rewind === undefined) {
      if (to > 0) ranges.unshift({ from: 1, to });
      return ranges;
    }
    ranges.unshift({ from: rewind.sequence, to });
    to = rewind.parent;
  }
}

/**
 * Finds the newest boundary, restore or rewind below a number. The walk passes decisions that cannot be read. The
 * target of a rewind is in the entry itself, so it is readable even if the payload was erased.
 */
async function newestBranching(log: LogReader, below: number) {
  const boundary = await log.newest("boundary", below);
  const others = ["restore", "rewind"].map((kind) => log.newest(kind, below, boundary?.sequence));
  const entries = [boundary, ...(await Promise.all(others))];
  const newest = entries.reduce((a, b) => ((a?.sequence ?? 0) >= (b?.sequence ?? 0) ? a : b));
  return newest && { ...readPayload(newest), entry: newest };
}

async function viewAtBoundary(
  fromLog: LogReader,
  boundary: Boundary,
  undone: ReadonlySet<number>,
  options: FeatureOptions,
): Promise<View> {
  const { sequence, payload } = boundary;
  const log = await withNamed(fromLog, boundary);
  const view = createView(readCalibration(payload.state.calibration), options);
  view.configuration = await readConfiguration(log, payload.state.configuration, options);
  view.changedAt = sequence;
  view.breaks = payload.outline.flatMap(({ from, to }) => [from, to + 1]);
  for (const shown of payload.outline) {
    // Use the boundary's own content without reading it again: with all that it carries, it is often the largest entry
    // of its log.
    const items =
      shown.by === sequence
        ? replacementItems({ ...shown, by: sequence }, payload.with, options)
        : await itemsOf(log, shown, undone, options);
    if (items.length === 0 && shown.by !== undefined) view.hidden = [...view.hidden, shown];
    for (const item of items) {
      view.items.push(item.kind === "message" && shown.thinking === "lost" ? { ...item, thinking: "lost" } : item);
    }
  }
  forgetReport(view);
  awaitAnswer(view, payload);
  return view;
}

/**
 * Returns a reader that has cached the entries that a boundary names, and the entries that they name. Costs at most two
 * round trips.
 */
async function withNamed(log: LogReader, { sequence: own, payload }: Boundary): Promise<LogReader> {
  const { state, outline } = payload;
  const shown = outline
    .filter(({ by }) => by !== own)
    .map(({ from, to, by }) => (by === undefined ? { from, to } : { from: by, to: by }));
  const at = state.configuration;
  const named = await withEntries(log, { ranges: [{ from: at, to: at }, ...shown] });
  const configuration = await readEntry(named, at);
  const parts =
    configuration?.kind === "configuration" ? [configuration.payload.system, configuration.payload.tools] : [];
  const erased: number[] = [];
  for (const { from, to, by } of outline) {
    if (by !== undefined) continue;
    for (const { sequence, payload } of await named.read(from, to)) if (payload === undefined) erased.push(sequence);
  }
  return withEntries(named, {
    ranges: parts.flatMap((part) => ("heldBy" in part ? [{ from: part.heldBy, to: part.heldBy }] : [])),
    newest: erased.map((sequence) => namedKind("erased", sequence)),
  });
}

/** Tells whether an entry is an undone decision or was written with one. */
function isUndone(read: ReadEntry | PassedOver, undone: ReadonlySet<number>): boolean {
  return undone.has(read.sequence) || (read.kind === "attachment" && undone.has(read.payload.of ?? 0));
}

/** Returns the items that show a range of entries: the entries themselves, or the content of a decision. */
async function itemsOf(
  log: LogReader,
  shown: Shown,
  undone: ReadonlySet<number>,
  options: FeatureOptions,
): Promise<readonly Item[]> {
  const { from, to, by } = shown;
  const decision = by === undefined ? undefined : await readEntry(log, by);
  // A decision is erased together with its quoted entry. Then the entry's stub is shown.
  if (by === undefined || (decision?.kind === "passed-over" && decision.why === "erased")) {
    const items: Item[] = [];
    for await (const entry of readEntries(log, from, to)) {
      const read = await readWithStub(log, entry);
      const item = isUndone(read, undone) ? undefined : itemOf(read, options);
      if (item !== undefined) items.push(item);
    }
    return items;
  }
  if (undone.has(by)) {
    // The decision was undone: show the range as it was just before the decision, with the earlier decisions.
    const { view } = await loadView(log, by - 1, options);
    return view.items.filter((item) => item.from <= to && item.to >= from);
  }
  const isDecision = decision?.kind === "replace" || decision?.kind === "boundary";
  return isDecision ? replacementItems({ from, to, by }, decision.payload.with, options) : [];
}

type ConfigurationEntry = Extract<ReadEntry, { kind: "configuration" }>;

/** Reads a configuration, including the parts that earlier entries contain. */
export async function readConfiguration(
  log: LogReader,
  at: number,
  options: FeatureOptions,
): Promise<Configuration | undefined> {
  const read = await readEntry(log, at);
  if (read?.kind !== "configuration") return undefined;
  const system = await readOwner(log, read.payload.system);
  const tools = await readOwner(log, read.payload.tools);
  const whole = {
    ...read.payload,
    system: system === undefined ? read.payload.system : system.payload.system,
    tools: tools === undefined ? read.payload.tools : tools.payload.tools,
  };
  const configuration = resolveConfiguration(at, whole, undefined, options);
  return (
    configuration && { ...configuration, systemHeldBy: system?.sequence ?? at, toolsHeldBy: tools?.sequence ?? at }
  );
}

async function readOwner(log: LogReader, part: Held<unknown>): Promise<ConfigurationEntry | undefined> {
  if (!("heldBy" in part)) return undefined;
  const holder = await readEntry(log, part.heldBy);
  return holder?.kind === "configuration" ? holder : undefined;
}

export async function readEntry(log: LogReader, sequence: number): Promise<ReadEntry | PassedOver | undefined> {
  const [entry] = await log.read(sequence, sequence);
  return entry && readPayload(entry);
}

/** Reads the payload of an entry. For an erased entry, reads its stub. */
export async function readWithStub(log: LogReader, entry: Entry): Promise<ReadEntry | PassedOver> {
  const read = readPayload(entry);
  if (read.kind !== "passed-over" || read.why !== "erased") return read;
  const { sequence } = entry;
  const record = await log.newest(namedKind("erased", sequence));
  const erased = record && readPayload(record);
  if (erased?.kind !== "erased") return read;
  const { was, stub } = erased.payload;
  return was === "message" ? { kind: was, sequence, payload: stub } : { kind: was, sequence, payload: stub };
}

/** Consecutive entries of a branch, both ends included. */
export interface BranchRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Yields the entry ranges that form the branch up to entry `at`, newest first. Costs one seek for each rewind, and
 * does not read the undone entries.
 */
export async function* branchRanges(log: LogReader, at: number): AsyncGenerator<BranchRange> {
  for (let to = at; to > 0; ) {
    const rewind = await log.newest("rewind", to + 1);
    yield { from: rewind?.sequence ?? 1, to };
    to = rewind?.parent ?? 0;
  }
}

/** Tells whether an entry is on the branch that ends at another entry, so that no rewind has undone it. */
export async function isOnBranch(log: LogReader, entry: number, at: number): Promise<boolean> {
  for await (const { from, to } of branchRanges(log, at)) {
    if (entry >= from) return entry <= to;
  }
  return false;
}

type Content = Extract<ReadEntry, { kind: "message" | "attachment" }>;

/**
 * Returns the stub of an erased entry. It keeps the author and the time, and calls and results without their content,
 * because other entries refer to them. It drops thinking, because the provider binds thinking to the content next to
 * it.
 */
export function stubOf({ kind, sequence: entry, payload }: Content): ErasedPayload {
  const blocks = stubBlocks(payload.blocks, `[Entry ${entry} was erased.]`);
  if (kind === "attachment") return { was: kind, entry, stub: { ...payload, blocks } };
  const { stored: _, ...rest } = payload;
  return { was: kind, entry, stub: { ...rest, blocks } };
}

function stubBlocks(blocks: readonly Block[], text: string): readonly Block[] {
  const kept = blocks.flatMap((block): readonly Block[] => {
    if (block.kind === "tool_call") return [{ kind: "tool_call", id: block.id, name: block.name, input: {} }];
    if (block.kind === "tool_result") return [{ ...block, content: text }];
    return [];
  });
  // A result contains the notice itself. A call cannot.
  return kept.some(({ kind }) => kind === "tool_result") ? kept : [{ kind: "text", text }, ...kept];
}

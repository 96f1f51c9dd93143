import { foldLedger } from "../cost/fold.ts";
import { EMPTY_LEDGER, type Ledger, readLedger } from "../cost/ledger.ts";
import { type PassedOver, type ReadEntry, readPayload } from "../log/draft.ts";
import type { Held, Shown } from "../log/payload.ts";
import { namedKind } from "../log/to-draft.ts";
import { readWithStub } from "../session/erase/read-with-stub.ts";
import { type Boundary, findBranch } from "../session/find-branch.ts";
import { withEntries } from "../session/known-reader.ts";
import { readCalibration, startCalibration } from "../size/calibration.ts";
import { readEntries } from "../stores/read-entries.ts";
import type { LogReader } from "../stores/store.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import { awaitAnswer, foldEntry, forgetReport } from "../view/fold.ts";
import type { Item } from "../view/item.ts";
import { itemOf, replacementItems } from "../view/items.ts";
import { resolveConfiguration } from "../view/resolve-configuration.ts";
import { type Configuration, createView, type View } from "../view/view.ts";
import { type CarriedState, EMPTY_CARRIED_STATE, foldCarriedState } from "./carried.ts";

type ConfigurationEntry = Extract<ReadEntry, { kind: "configuration" }>;

export interface Loaded {
  readonly view: View;
  readonly ledger: Ledger;
  readonly carriedState: CarriedState;
}

/** The view, the ledger and what stands beside them at an entry, read from the newest boundary in effect there. What lies before is not touched. */
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
      // What was taken back has cost what it cost.
      ledger = foldLedger(ledger, read, entry.atMs);
      if (isUndone(read, undone)) continue;
      foldEntry(view, read);
      carriedState = foldCarriedState(carriedState, read, entry.atMs);
    }
  }
  view.unchangedItems = 0;
  return { view, ledger, carriedState };
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
    // What the boundary itself says is at hand: with all that it carries, it is often the largest entry of its log.
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

/** The same log, with the entries at hand that a boundary names, and those that they name: two round trips at most. */
async function withNamed(log: LogReader, { sequence: own, payload }: Boundary): Promise<LogReader> {
  const { state, outline } = payload;
  const shown = outline
    .filter(({ by }) => by !== own)
    .map(({ from, to, by }) => (by === undefined ? { from, to } : { from: by, to: by }));
  const at = state.configuration;
  const named = await withEntries(log, { ranges: [{ from: at, to: at }, ...shown] });
  const configuration = await readEntry(named, at);
  const held =
    configuration?.kind === "configuration" ? [configuration.payload.system, configuration.payload.tools] : [];
  const erased: number[] = [];
  for (const { from, to, by } of outline) {
    if (by !== undefined) continue;
    for (const { sequence, payload } of await named.read(from, to)) if (payload === undefined) erased.push(sequence);
  }
  return withEntries(named, {
    ranges: held.flatMap((part) => ("heldBy" in part ? [{ from: part.heldBy, to: part.heldBy }] : [])),
    newest: erased.map((sequence) => namedKind("erased", sequence)),
  });
}

/** A decision that was taken back, or what was written with one. */
function isUndone(read: ReadEntry | PassedOver, undone: ReadonlySet<number>): boolean {
  return undone.has(read.sequence) || (read.kind === "attachment" && undone.has(read.payload.of ?? 0));
}

/** What is shown of a run of entries: as they are, or as a decision has put it. */
async function itemsOf(
  log: LogReader,
  shown: Shown,
  undone: ReadonlySet<number>,
  options: FeatureOptions,
): Promise<readonly Item[]> {
  const { from, to, by } = shown;
  const decision = by === undefined ? undefined : await readEntry(log, by);
  // A decision is erased with what it quoted: then the stub stands in the entry's own place.
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
    // Taken back since: the range is shown as it was just before, with the decisions that held then.
    const { view } = await loadView(log, by - 1, options);
    return view.items.filter((item) => item.from <= to && item.to >= from);
  }
  const decided = decision?.kind === "replace" || decision?.kind === "boundary";
  return decided ? replacementItems({ from, to, by }, decision.payload.with, options) : [];
}

/** A configuration with the parts that earlier entries hold for it. */
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

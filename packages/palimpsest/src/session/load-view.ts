import type { Entry } from "../log/entry.ts";
import type { Held, Shown } from "../log/payload.ts";
import { type PassedOver, type ReadEntry, readPayload } from "../log/read-payload.ts";
import type { LogReader } from "../stores/store.ts";
import { readCalibration, startCalibration } from "../tokens/calibration.ts";
import type { FeatureOptions } from "../tokens/features.ts";
import {
  attachmentItem,
  foldEntry,
  forgetReport,
  messageItem,
  replacementItems,
  resolveConfiguration,
  sealItem,
} from "../view/fold-entry.ts";
import type { Item } from "../view/item.ts";
import { type Configuration, createView, type View } from "../view/view.ts";
import { type Boundary, findBranch } from "./find-branch.ts";

type ConfigurationEntry = Extract<ReadEntry, { kind: "configuration" }>;

/** Entries read at a time: few enough that large payloads do not pile up in memory. */
const CHUNK_ENTRIES = 256;

/** The view at an entry, read from the newest boundary in effect there. What lies before it is not touched. */
export async function loadView(log: LogReader, at: number, options: FeatureOptions = {}): Promise<View> {
  const { boundary, ranges, undone } = await findBranch(log, at);
  const view =
    boundary === undefined
      ? createView(startCalibration(), options)
      : await viewAtBoundary(log, boundary, undone, options);
  for (const { from, to } of ranges) {
    for await (const entry of readEntries(log, from, to)) {
      if (!undone.has(entry.sequence)) foldEntry(view, readPayload(entry));
    }
  }
  view.unchangedItems = 0;
  return view;
}

async function viewAtBoundary(
  log: LogReader,
  { payload }: Boundary,
  undone: ReadonlySet<number>,
  options: FeatureOptions,
): Promise<View> {
  const view = createView(readCalibration(payload.state.calibration), options);
  view.spent = payload.state.spent;
  view.configuration = await readConfiguration(log, payload.state.configuration, options);
  for (const shown of payload.outline) {
    view.breaks.push(shown.from, shown.to + 1);
    for (const item of await itemsOf(log, shown, undone, options)) {
      view.items.push(item.kind === "message" && shown.thinking === "lost" ? { ...item, thinking: "lost" } : item);
    }
  }
  forgetReport(view);
  return view;
}

/** What is shown of a run of entries: as they are, or as a decision has put it, unless that was taken back since. */
async function itemsOf(
  log: LogReader,
  shown: Shown,
  undone: ReadonlySet<number>,
  options: FeatureOptions,
): Promise<readonly Item[]> {
  const { from, to, by } = shown;
  if (by !== undefined && !undone.has(by)) {
    const decision = await readEntry(log, by);
    const decided = decision?.kind === "replace" || decision?.kind === "boundary";
    return decided ? replacementItems(by, decision.payload, options) : [];
  }
  const items: Item[] = [];
  for await (const entry of readEntries(log, from, to)) {
    const item = plainItem(entry, options);
    if (item !== undefined) items.push(item);
  }
  return items;
}

function plainItem(entry: Entry, options: FeatureOptions): Item | undefined {
  const read = readPayload(entry);
  switch (read.kind) {
    case "message":
      return read.payload.audience === "user" ? undefined : messageItem(read.sequence, read.payload, options);
    case "attachment":
      return attachmentItem(read.sequence, read.payload, options);
    case "request":
      return sealItem(read.sequence, read.payload);
    default:
      return undefined;
  }
}

/** A configuration with the parts that earlier entries hold for it. */
async function readConfiguration(
  log: LogReader,
  at: number,
  options: FeatureOptions,
): Promise<Configuration | undefined> {
  const read = await readEntry(log, at);
  if (read?.kind !== "configuration") return undefined;
  const system = await readHolder(log, read.payload.system);
  const tools = await readHolder(log, read.payload.tools);
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

async function readHolder(log: LogReader, part: Held<unknown>): Promise<ConfigurationEntry | undefined> {
  if (!("heldBy" in part)) return undefined;
  const holder = await readEntry(log, part.heldBy);
  return holder?.kind === "configuration" ? holder : undefined;
}

async function readEntry(log: LogReader, sequence: number): Promise<ReadEntry | PassedOver | undefined> {
  const [entry] = await log.read(sequence, sequence);
  return entry && readPayload(entry);
}

async function* readEntries(log: LogReader, from: number, to: number): AsyncGenerator<Entry> {
  for (let next = from; next <= to; next += CHUNK_ENTRIES) {
    yield* await log.read(next, Math.min(to, next + CHUNK_ENTRIES - 1));
  }
}

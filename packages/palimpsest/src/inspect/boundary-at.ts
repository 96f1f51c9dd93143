// Explains a compaction: the views before and after it, and what remains of each replaced item.

import { type CompactionReasons, compactionReasons } from "../compact/explain.ts";
import type { Block } from "../log/block.ts";
import { readPayload } from "../log/entry.ts";
import type { BoundaryPayload } from "../log/payload.ts";
import { contentOf } from "../recall/read.ts";
import { recallOf } from "../recall/recall.ts";
import { estimateTokens } from "../size/calibration.ts";
import { loadView } from "../state/load.ts";
import { readEntries } from "../stores/read.ts";
import type { LogReader } from "../stores/store.ts";
import { type Accounting, account } from "../view/account.ts";
import type { MessageItem, View } from "../view/view.ts";
import type { SurvivorSources } from "./inspected.ts";
import { type ContentPlace, contentPlaceOf } from "./segment.ts";

/** A compaction boundary: what the model saw before and after the compaction, and what remains of the replaced items. */
export interface BoundaryAt extends Pick<BoundaryPayload, "from" | "to" | "cost" | "compaction">, CompactionReasons {
  readonly entry: number;
  readonly atMs: number;
  /** The text that replaces the entries. */
  readonly summary: string;
  readonly before: Accounting;
  readonly after: Accounting;
  /** The replaced items, oldest first. */
  readonly survivors: readonly Survivor[];
}

/** Explains the boundary at an entry; undefined if the entry is not a boundary. */
export async function boundaryAt(sources: SurvivorSources, entry: number): Promise<BoundaryAt | undefined> {
  const { log } = sources;
  const [found] = await log.read(entry, entry);
  const read = found && readPayload(found);
  if (read?.kind !== "boundary") return undefined;
  const { from, to, reason, cost, compaction, with: replacements } = read.payload;
  const { view: before } = await loadView(log, entry - 1);
  const { view: after } = await loadView(log, await lastOf(log, entry));
  return {
    entry,
    atMs: found!.atMs,
    from,
    to,
    ...compactionReasons({ reason, compaction }),
    cost,
    compaction,
    summary: replacements
      .filter(({ attachment }) => attachment === undefined)
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])))
      .join("\n"),
    before: account(before),
    after: account(after),
    survivors: await survivorsOf(sources, { before: coveredBy(before, read.payload), after }),
  };
}

/** Returns the view with only the items of a range. */
function coveredBy(view: View, { from, to }: { readonly from: number; readonly to: number }): View {
  return { ...view, items: view.items.filter((item) => item.from <= to && item.to >= from) };
}

/** Returns the last entry that was written together with a boundary. */
async function lastOf(log: LogReader, boundary: number): Promise<number> {
  const { sequence: newest } = await log.head();
  let last = boundary;
  for await (const entry of readEntries(log, boundary + 1, newest)) {
    const read = readPayload(entry);
    if (read.kind !== "attachment" || read.payload.of !== boundary) break;
    last = entry.sequence;
  }
  return last;
}

/** An item that a compaction replaced, and what remains of it. */
export interface Survivor {
  readonly entry: number;
  readonly place: ContentPlace;
  readonly tokens: number;
  /** The beginning of the item's text, in one line. */
  readonly preview: string;
  /**
   * `in-view`: all lines are still in view. `recallable`: the model can read the content back with `recall`. `lost`: the model
   * cannot, because it lacks the tool or the content is gone.
   */
  readonly fate: "in-view" | "recallable" | "lost";
  /** The share of the lines that are still in view, word for word; 1 for an empty text. */
  readonly shownShare: number;
}

/** Determines what remains of each item of a view in a later view. */
async function survivorsOf(
  { log, session, files }: SurvivorSources,
  { before, after }: { readonly before: View; readonly after: View },
): Promise<readonly Survivor[]> {
  const shown = new Set(messagesOf(after).flatMap((item) => linesOf(textOf(item.blocks))));
  const recall = recallOf(after.configuration?.tools ?? []);
  const survivors: Survivor[] = [];
  for (const item of messagesOf(before)) {
    const text = textOf(item.blocks);
    const lines = linesOf(text);
    const shownShare = lines.length === 0 ? 1 : lines.filter((line) => shown.has(line)).length / lines.length;
    const [entry] = await log.read(item.by ?? item.from, item.by ?? item.from);
    const content = entry && (await contentOf(entry, { session, files }));
    const canRecall = recall === "offered" && content?.kind === "content";
    survivors.push({
      entry: item.by ?? item.from,
      place: contentPlaceOf(item.blocks[0] ?? { kind: "text", text: "" }, item),
      tokens: estimateTokens(before.calibration, item.features),
      preview: text.slice(0, PREVIEW_CHARACTERS).replace(/\s+/g, " ").trim().toWellFormed(),
      fate: shownShare === 1 ? "in-view" : canRecall ? "recallable" : "lost",
      shownShare,
    });
  }
  return survivors;
}

const PREVIEW_CHARACTERS = 160;

function messagesOf({ items }: View): readonly MessageItem[] {
  return items.filter((item) => item.kind === "message");
}

function textOf(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => {
      if (block.kind === "text") return [block.text];
      if (block.kind === "tool_call") return [`${block.name} ${JSON.stringify(block.input) ?? ""}`];
      if (block.kind !== "tool_result") return [];
      return typeof block.content === "string" ? [block.content] : [textOf(block.content)];
    })
    .join("\n");
}

/** Returns the lines of a text without indentation and quotation marks (`>`), and without empty lines. */
function linesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const bare = line.trimEnd().replace(/^[\s>]+/, "");
    return bare === "" ? [] : [bare];
  });
}

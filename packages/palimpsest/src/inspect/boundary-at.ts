import { readPayload } from "../log/draft.ts";
import type { BoundaryPayload } from "../log/payload.ts";
import { loadView } from "../state/load.ts";
import { readEntries } from "../stores/read-entries.ts";
import type { LogReader } from "../stores/store.ts";
import { type Accounting, account } from "../view/account.ts";
import type { View } from "../view/view.ts";
import { type Survivor, type SurvivorSources, survivorsOf } from "./inspected.ts";

/** A compaction boundary: what the model saw before it and after it, and what became of what it replaced. */
export interface BoundaryAt extends Pick<BoundaryPayload, "from" | "to" | "reason" | "cost" | "compaction"> {
  readonly entry: number;
  readonly atMs: number;
  /** What stands in the place of the entries. */
  readonly summary: string;
  readonly before: Accounting;
  readonly after: Accounting;
  /** Each item that it replaced, oldest first. */
  readonly survivors: readonly Survivor[];
}

/** Explains the boundary at an entry; undefined if the entry is none. */
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
    reason,
    ...(cost === undefined ? {} : { cost }),
    ...(compaction === undefined ? {} : { compaction }),
    summary: replacements
      .filter(({ attachment }) => attachment === undefined)
      .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])))
      .join("\n"),
    before: account(before),
    after: account(after),
    survivors: await survivorsOf(sources, { before: coveredBy(before, read.payload), after }),
  };
}

/** What the view showed of a range. */
function coveredBy(view: View, { from, to }: { readonly from: number; readonly to: number }): View {
  return { ...view, items: view.items.filter((item) => item.from <= to && item.to >= from) };
}

/** The newest entry that was written together with a boundary. */
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

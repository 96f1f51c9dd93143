import { type ReadEntry, readPayload } from "../log/draft.ts";
import type { LogReader } from "../stores/store.ts";

export type Boundary = Extract<ReadEntry, { kind: "boundary" }>;

/** What has to be read to know the view at an entry. */
export interface Branch {
  /** The newest boundary in effect; undefined if the branch must be read from its beginning. */
  readonly boundary: Boundary | undefined;
  /** The entries of the branch behind the boundary, oldest first. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  /** Decisions that were taken back. */
  readonly undone: ReadonlySet<number>;
}

/**
 * Walks back from an entry along its branch, from one entry that matters to the next: a rewind leads to the entry it went
 * back to, a restore undoes a decision, a boundary that is not undone ends the walk. Costs a few seeks for each of them.
 */
export async function findBranch(log: LogReader, at: number): Promise<Branch> {
  const ranges: { from: number; to: number }[] = [];
  const undone = new Set<number>();
  let to = at;
  let below = at + 1;
  for (;;) {
    const turn = await newestTurn(log, below);
    if (turn === undefined) {
      if (to > 0) ranges.unshift({ from: 1, to });
      return { boundary: undefined, ranges, undone };
    }
    below = turn.sequence;
    if (turn.entry.kind === "rewind") {
      ranges.unshift({ from: turn.sequence, to });
      to = turn.entry.parent;
      below = turn.entry.parent + 1;
    } else if (turn.kind === "restore") {
      undone.add(turn.payload.of);
    } else if (turn.kind === "boundary" && !undone.has(turn.sequence)) {
      if (turn.sequence < to) ranges.unshift({ from: turn.sequence + 1, to });
      return { boundary: turn, ranges, undone };
    }
  }
}

/**
 * The newest entry below a number at which the branch takes a turn. A decision that cannot be read is walked past; where a
 * rewind leads stands in the entry itself, also when its payload was erased.
 */
async function newestTurn(log: LogReader, below: number) {
  const boundary = await log.newest("boundary", below);
  const others = ["restore", "rewind"].map((kind) => log.newest(kind, below, boundary?.sequence));
  const entries = [boundary, ...(await Promise.all(others))];
  const newest = entries.reduce((a, b) => ((a?.sequence ?? 0) >= (b?.sequence ?? 0) ? a : b));
  return newest && { ...readPayload(newest), entry: newest };
}

import type { LogReader } from "../stores/store.ts";

/** Entries of a branch that follow each other without a gap, both ends included. */
export interface BranchRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The entries of the branch that ends at an entry, the newest range first, decisions and all. One seek for each rewind: what
 * was rewound is passed over unread.
 */
export async function* branchRanges(log: LogReader, at: number): AsyncGenerator<BranchRange> {
  for (let to = at; to > 0; ) {
    const rewind = await log.newest("rewind", to + 1);
    yield { from: rewind?.sequence ?? 1, to };
    to = rewind?.parent ?? 0;
  }
}

/** Whether an entry is on the branch that ends at another: whether it was not taken back by a rewind. */
export async function isOnBranch(log: LogReader, entry: number, at: number): Promise<boolean> {
  for await (const { from, to } of branchRanges(log, at)) {
    if (entry >= from) return entry <= to;
  }
  return false;
}

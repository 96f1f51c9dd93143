import { median } from "../statistics.ts";

export interface HeapSample {
  readonly turn: number;
  readonly usedMb: number;
}

/**
 * By how much the heap grows in 1,000 turns: the median of the slopes between any two samples (Theil and Sen). What happens
 * to be in view at one moment makes no difference to it.
 */
export function growthMb(samples: readonly HeapSample[]): number {
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((other) => (other.usedMb - one.usedMb) / (other.turn - one.turn)),
  );
  return 1_000 * median(slopes);
}

/** The first tenth of what followed each other, and the last. */
export function tenths<Value>(values: readonly Value[]): {
  readonly first: readonly Value[];
  readonly last: readonly Value[];
} {
  const count = Math.ceil(values.length / 10);
  return { first: values.slice(0, count), last: values.slice(-count) };
}

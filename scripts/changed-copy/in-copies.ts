import type { RepositoryCopy } from "./open-copy.ts";

export interface InCopiesOptions<Work, Result> {
  readonly workers: number;
  readonly open: () => RepositoryCopy;
  readonly act: (work: Work, copy: RepositoryCopy) => Promise<Result>;
  /** Is told after each: how many are done, and how long the rest takes at this pace. */
  readonly onDone: (work: Work, result: Result, progress: { readonly done: number; readonly leftMs: number }) => void;
}

/** Does work in several copies of the repository at a time. Resolves to the results in the order of the work. */
export async function inCopies<Work, Result>(
  works: readonly Work[],
  { workers, open, act, onDone }: InCopiesOptions<Work, Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const startedAtMs = performance.now();
  // Whoever is free takes the next one.
  const waiting = works.entries();
  let done = 0;

  async function work(): Promise<void> {
    const copy = open();
    try {
      for (const [index, one] of waiting) {
        const result = await act(one, copy);
        results[index] = result;
        done++;
        const leftMs = ((performance.now() - startedAtMs) / done) * (works.length - done);
        onDone(one, result, { done, leftMs });
      }
    } finally {
      await copy.close();
    }
  }

  await Promise.all(Array.from({ length: Math.max(1, Math.min(workers, works.length)) }, work));
  return results;
}

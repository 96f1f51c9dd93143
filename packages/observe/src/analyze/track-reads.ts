import type { FileReads } from "./analysis.ts";
import { hashText } from "./hash-text.ts";

/** Shorter results are stubs and errors, not files. */
const LEAST_CHARACTERS = 200;
const SHOWN_FILES = 10;
/** The number of rounds after a compaction in which a repeated read counts as missing in the summary. */
export const READ_AGAIN_ROUNDS = 30;

/** A read of a file, as known when its result comes. */
export interface FileRead {
  readonly path: string;
  /** `duplicate`: the window already holds the same content. */
  readonly sort: "first" | "again" | "duplicate";
  /** The compaction that it was read again behind, by number, if it was read before it and that is not long ago. */
  readonly missedBy?: number;
  /** Identifies this content of this file. */
  readonly key: string;
}

export interface ReadTracker {
  /** @param point the number of responses so far */
  read(path: string, content: string, point: number): FileRead | undefined;
  /** The content is no longer in the window. */
  compact(point: number): void;
  /** The same for one content of one file. */
  forget(key: string): void;
  readonly reads: number;
}

/** Memory grows with the number of files and of their contents (a number each). */
export function createReadTracker(): ReadTracker {
  /** For each file, the compaction before which it was last read; and which of its contents the window holds. */
  const lastEpoch = new Map<string, number>();
  const shown = new Set<string>();
  let epoch = 0;
  let epochPoint = Number.NEGATIVE_INFINITY;
  let reads = 0;
  return {
    read(path, content, point) {
      if (content.length < LEAST_CHARACTERS) return undefined;
      reads++;
      const key = `${hashText(content)} ${path}`;
      const before = lastEpoch.get(path);
      const sort = shown.has(key) ? "duplicate" : before === undefined ? "first" : "again";
      const isMissed = before !== undefined && before < epoch && point - epochPoint <= READ_AGAIN_ROUNDS;
      lastEpoch.set(path, epoch);
      shown.add(key);
      return { path, sort, key, ...(isMissed ? { missedBy: epoch - 1 } : {}) };
    },
    compact(point) {
      epoch++;
      epochPoint = point;
      shown.clear();
    },
    forget: (key) => void shown.delete(key),
    get reads() {
      return reads;
    },
  };
}

/** Adds reads up by file: the most expensive first, the larger of what has no price. */
export function sumFiles(reads: readonly FileReads[]): readonly FileReads[] {
  const byPath = Map.groupBy(reads, ({ path }) => path);
  const files = [...byPath].map(([path, all]): FileReads => {
    const sum = (name: "reads" | "tokens" | "usd"): number => all.reduce((total, read) => total + read[name], 0);
    return { path, reads: sum("reads"), tokens: sum("tokens"), usd: sum("usd") };
  });
  return files.sort((one, other) => other.usd - one.usd || other.tokens - one.tokens).slice(0, SHOWN_FILES);
}

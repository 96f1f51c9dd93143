import type { CompactionReport, DuplicateReads, FileReads, ResultCost } from "./analysis.ts";
import { sumFiles } from "./track-reads.ts";
import type { WindowItem } from "./window.ts";

export interface ItemCosts {
  /** These items were sent for the first time, with a request in which a new and a carried token cost this much. */
  enter(items: readonly WindowItem[], rates: { readonly newRate: number; readonly carriedRate: number }): void;
  /** These items were sent for the last time before this point. */
  leave(items: readonly WindowItem[], point: number): void;
  close(): {
    readonly duplicates: Omit<DuplicateReads, "reads">;
    /** Content that was read again after a compaction, by its number. */
    readAgain(compaction: number): CompactionReport["readAgain"];
    readonly expensive: readonly ResultCost[];
  };
}

const SHOWN_RESULTS = 10;

/** The cost of single results, over all requests that carried them. Keeps the most expensive. */
export function createItemCosts(): ItemCosts {
  const duplicates: FileReads[] = [];
  const missed = new Map<number, FileReads[]>();
  let expensive: ResultCost[] = [];
  /** The cost of carrying one token through all requests so far. */
  let carriedUsd = 0;

  const rank = (one: ResultCost, other: ResultCost): number =>
    other.usd - one.usd || other.tokens * other.requests - one.tokens * one.requests;

  return {
    enter(items, { newRate, carriedRate }) {
      carriedUsd += carriedRate;
      for (const item of items) {
        item.firstUsd = newRate;
        item.carriedUsd = carriedUsd;
        const read = item.result?.read;
        if (read?.missedBy === undefined) continue;
        const again = { path: read.path, reads: 1, tokens: item.tokens, usd: item.tokens * newRate };
        missed.set(read.missedBy, [...(missed.get(read.missedBy) ?? []), again]);
      }
    },
    leave(items, point) {
      for (const { result, tokens, firstUsd, carriedUsd: since = 0, point: entered } of items) {
        if (result === undefined || firstUsd === undefined || entered === undefined) continue;
        const usd = tokens * (firstUsd + carriedUsd - since);
        if (result.read?.sort === "duplicate") duplicates.push({ path: result.read.path, reads: 1, tokens, usd });
        const { tool, about } = result;
        expensive.push({ tool, about, point: entered, tokens: Math.round(tokens), requests: point - entered, usd });
      }
      expensive = expensive.sort(rank).slice(0, SHOWN_RESULTS);
    },
    close: () => ({
      duplicates: { duplicates: duplicates.length, ...sumOf(duplicates), files: sumFiles(duplicates) },
      readAgain(compaction) {
        const reads = missed.get(compaction) ?? [];
        return { reads: reads.length, ...sumOf(reads), files: sumFiles(reads) };
      },
      expensive,
    }),
  };
}

function sumOf(reads: readonly FileReads[]): { readonly tokens: number; readonly usd: number } {
  return {
    tokens: Math.round(reads.reduce((sum, { tokens }) => sum + tokens, 0)),
    usd: reads.reduce((sum, { usd }) => sum + usd, 0),
  };
}

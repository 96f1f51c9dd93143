import { expect, test } from "vitest";
import { createReadTracker, READ_AGAIN_ROUNDS, sumFiles } from "./track-reads.ts";

const LONG = "text ".repeat(100);

test("the same content of the same file is a duplicate, as long as the window holds it", () => {
  const reads = createReadTracker();
  expect(reads.read("a", LONG, 0)).toMatchObject({ sort: "first" });
  expect(reads.read("a", LONG, 1)).toMatchObject({ sort: "duplicate" });
  expect(reads.read("a", `${LONG}!`, 2)).toMatchObject({ sort: "again" });
  expect(reads.read("b", LONG, 3)).toMatchObject({ sort: "first" });
  reads.forget(reads.read("b", LONG, 4)!.key);
  expect(reads.read("b", LONG, 5)).toMatchObject({ sort: "again" });
  expect(reads.read("a", "short", 6)).toBeUndefined();
  expect(reads.reads).toBe(6);
});

test("behind a compaction a read of what was read before it was missed by it, for some rounds", () => {
  const reads = createReadTracker();
  reads.read("a", LONG, 0);
  reads.read("b", LONG, 0);
  reads.compact(10);
  expect(reads.read("a", LONG, 12)).toMatchObject({ sort: "again", missedBy: 0 });
  expect(reads.read("a", LONG, 13)).toMatchObject({ sort: "duplicate" });
  expect(reads.read("a", LONG, 13)).not.toHaveProperty("missedBy");
  expect(reads.read("c", LONG, 13)).not.toHaveProperty("missedBy");
  expect(reads.read("b", LONG, 11 + READ_AGAIN_ROUNDS)).not.toHaveProperty("missedBy");
});

test("files are added up, the most expensive first, ten at most", () => {
  const of = (path: string, usd: number): { path: string; reads: number; tokens: number; usd: number } => ({
    path,
    reads: 1,
    tokens: 5,
    usd,
  });
  expect(sumFiles([of("a", 1), of("b", 5), of("a", 2)])).toEqual([
    { path: "b", reads: 1, tokens: 5, usd: 5 },
    { path: "a", reads: 2, tokens: 10, usd: 3 },
  ]);
  expect(sumFiles(Array.from({ length: 20 }, (_, index) => of(`${index}`, 1)))).toHaveLength(10);
});

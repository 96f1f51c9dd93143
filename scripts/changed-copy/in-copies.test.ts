import { expect, test } from "vitest";
import { inCopies } from "./in-copies.ts";

/** A copy that only counts how many are open. */
function createOpen() {
  const counts = { opened: 0, closed: 0 };
  const open = () => {
    counts.opened++;
    return {
      folder: "copy",
      read: () => "",
      run: () => Promise.resolve("too-slow" as const),
      checkTypes: () => Promise.resolve("right" as const),
      async close() {
        counts.closed++;
      },
    };
  };
  return { counts, open };
}

test("results are in the order of the work, whichever copy is done first", async () => {
  const { counts, open } = createOpen();
  const told: number[] = [];
  const results = await inCopies([30, 1, 2, 3], {
    workers: 2,
    open,
    act: async (ms) => {
      for (let turn = 0; turn < ms; turn++) await Promise.resolve();
      return ms * 2;
    },
    onDone: (_work, _result, { done }) => told.push(done),
  });
  expect(results).toEqual([60, 2, 4, 6]);
  expect(told).toEqual([1, 2, 3, 4]);
  expect(counts).toEqual({ opened: 2, closed: 2 });
});

test("no more copies than there is work, and a failure closes them", async () => {
  const { counts, open } = createOpen();
  const act = () => Promise.reject(new Error("no"));
  await expect(inCopies([1], { workers: 4, open, act, onDone: () => undefined })).rejects.toThrow("no");
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

import { expect, test } from "vitest";
import { openOffline } from "../session/testing/open-offline.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { branchRanges, findBranch, isOnBranch } from "./load.ts";

const summary = { role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" } as const;

async function open() {
  const store = memoryStore();
  const session = await openOffline(store);
  const log = (await store.openReader("s"))!;
  return { session, log, newest: () => session.history.newestEntry };
}

test("a branch is what no rewind has taken back, in ranges without a gap, the newest first", async () => {
  const { session, log, newest } = await open();
  const [one, two, three] = await session.append(["one", "two", "three"]);
  expect(await Array.fromAsync(branchRanges(log, newest()))).toEqual([{ from: 1, to: three }]);
  await session.history.rewind(one!);
  const [four] = await session.append("four");
  const wanted = [
    { from: three! + 1, to: four! },
    { from: 1, to: one! },
  ];
  expect(await Array.fromAsync(branchRanges(log, newest()))).toEqual(wanted);
  expect((await findBranch(log, newest())).ranges).toEqual(wanted.toReversed());
  const onBranch = async (entry: number, at: number) => isOnBranch(log, entry, at);
  expect(await Promise.all([one!, two!, three!, four!].map((entry) => onBranch(entry, newest())))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  // Seen from where it was, it is on its branch still.
  expect(await onBranch(two!, three!)).toBe(true);
  expect(await onBranch(three!, two!)).toBe(false);
  expect(await Array.fromAsync(branchRanges(log, 0))).toEqual([]);
});

test("a boundary ends the walk, unless it was taken back", async () => {
  const { session, log, newest } = await open();
  const [one, two] = await session.append(["one", "two"]);
  const boundary = await session.history.fold({ from: one!, to: one! }, [summary], "test");
  const at = await findBranch(log, newest());
  expect([at.boundary?.sequence, at.ranges, at.undone.size]).toEqual([boundary, [], 0]);
  const [three] = await session.append("three");
  expect(await findBranch(log, newest())).toMatchObject({ ranges: [{ from: boundary + 1, to: three }] });
  await session.history.restore(boundary);
  const restored = await findBranch(log, newest());
  expect(restored).toMatchObject({ boundary: undefined, ranges: [{ from: 1, to: newest() }] });
  expect([...restored.undone]).toEqual([boundary]);
  // Before the restore it holds still; before the fold there is none.
  expect((await findBranch(log, three!)).boundary?.sequence).toBe(boundary);
  expect(await findBranch(log, two!)).toMatchObject({ boundary: undefined, ranges: [{ from: 1, to: two }] });
});

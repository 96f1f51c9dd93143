import { expect, test } from "vitest";
import { memoryResults, memoryStore } from "./memory-store.ts";
import { testResults } from "./test-results.ts";
import { testStore } from "./test-store.ts";

testStore({
  test,
  async place() {
    let nowMs = 0;
    const leaseMs = 1_000;
    const store = memoryStore({ clock: { now: () => nowMs }, leaseMs });
    const advanceClock = (byMs: number): void => {
      nowMs += byMs;
    };
    return { open: async () => store, advanceClock, leaseMs, remove: async () => {} };
  },
});

test("separates two memory stores", async () => {
  const [one, other] = [memoryStore(), memoryStore()];
  await one.openWriter("s", { owner: "me" });
  expect(await other.list()).toEqual({ sessions: [] });
});

testResults({
  test,
  async place() {
    const files = memoryResults();
    return { open: async () => files, remove: async () => {} };
  },
});

test("keeps results in the store that created them", async () => {
  const [store, other] = [memoryStore(), memoryStore()];
  const draft = await store.results.create("s");
  const { file } = await draft.keep("txt");
  expect(await store.results.find("s", file)).toMatchObject({ bytes: 0 });
  expect(await other.results.find("s", file)).toBeUndefined();
});

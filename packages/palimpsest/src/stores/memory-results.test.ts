import { expect, test } from "vitest";
import { memoryResults, memoryStore } from "./memory-store.ts";

import { testResults } from "./test-results.ts";

testResults({
  test,
  async place() {
    const files = memoryResults();
    return { open: async () => files, remove: async () => {} };
  },
});

test("a memory store keeps results for as long as its logs", async () => {
  const [store, other] = [memoryStore(), memoryStore()];
  const draft = await store.results.create("s");
  const { file } = await draft.keep("txt");
  expect(await store.results.find("s", file)).toMatchObject({ bytes: 0 });
  expect(await other.results.find("s", file)).toBeUndefined();
});

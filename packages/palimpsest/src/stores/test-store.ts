// The contract of stores, as tests.

import { testAppendAndRead, testSearch, testWriters } from "./contract/log.ts";
import { testDelete, testErase, testExpire, testSessions } from "./contract/sessions.ts";

import type { StoreCheck, StorePlace } from "./contract/store-case.ts";

export type { StorePlace } from "./contract/store-case.ts";
export { manualStoreClock } from "./contract/store-case.ts";

/** The test function, and the store to test. */
export interface TestStoreOptions {
  /** The test function of your runner: vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** Creates a new, empty place. */
  place(): Promise<StorePlace>;
}

/** Tests the contract of stores. Call it once in a test file, with the runner's own `test`. */
export function testStore({ test, place }: TestStoreOptions): void {
  const check: StoreCheck = (name, run) =>
    test(name, async () => {
      const somewhere = await place();
      try {
        const store = await somewhere.open();
        await run({ store, place: somewhere });
        await store.close();
      } finally {
        await somewhere.remove();
      }
    });
  testAppendAndRead(check);
  testDelete(check);
  testErase(check);
  testExpire(check);
  testSearch(check);
  testSessions(check);
  testWriters(check);
}

import { testBatches } from "./contract/batches.ts";
import { testHistory } from "./contract/history.ts";
import { testInbox } from "./contract/inbox.ts";
import { type MemoryCheck, type MemoryPlace, tickingClock } from "./contract/memory-case.ts";
import { testSharing } from "./contract/sharing.ts";
import { testTopics } from "./contract/topics.ts";

export type { MemoryPlace, OpenedAs } from "./contract/memory-case.ts";

/** Your test function, and the memory to test. */
export interface TestMemoryOptions {
  /** The test function of the runner in use: that of vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** A new, empty place. */
  place(): Promise<MemoryPlace>;
}

/** What a memory must do wherever it is kept, as tests. Call it once, in a test file, with the runner's own `test`. */
export function testMemory({ test, place }: TestMemoryOptions): void {
  const check: MemoryCheck = (name, run, options = {}) =>
    test(name, async () => {
      const somewhere = await place();
      const clock = tickingClock();
      const reopen = () => somewhere.open({ ...options, clock });
      try {
        await run({ memory: await reopen(), reopen });
      } finally {
        await somewhere.remove();
      }
    });
  testTopics(check);
  testInbox(check);
  testBatches(check);
  testHistory(check);
  testSharing(check);
}

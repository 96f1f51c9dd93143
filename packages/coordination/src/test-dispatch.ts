import { testApprovals } from "./contract/approvals.ts";
import type { DispatchCheck, DispatchPlace } from "./contract/dispatch-case.ts";
import { testEvents } from "./contract/events.ts";
import { testReminders } from "./contract/reminders.ts";
import { testSchedule } from "./contract/schedule.ts";

export { type DispatchPlace, growLog } from "./contract/dispatch-case.ts";

export interface TestDispatchOptions {
  /** The test function of the runner in use: that of vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** A new, empty place. */
  place(): Promise<DispatchPlace>;
}

/** What schedules, approvals and events must do wherever they are kept, as tests. Call it once, in a test file. */
export function testDispatch({ test, place }: TestDispatchOptions): void {
  const check: DispatchCheck = (name, run) =>
    test(name, async () => {
      const somewhere = await place();
      try {
        await run(somewhere);
      } finally {
        await somewhere.remove();
      }
    });
  testSchedule(check);
  testReminders(check);
  testApprovals(check);
  testEvents(check);
}

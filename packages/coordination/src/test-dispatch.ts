import { testApprovals } from "./contract/approvals.ts";
import { testAttempts } from "./contract/attempts.ts";
import { type ContractOptions, checkIn } from "./contract/check-in.ts";
import type { DispatchPlace } from "./contract/dispatch-case.ts";
import { testEvents } from "./contract/events.ts";
import { testForget } from "./contract/forget.ts";
import { testInbox } from "./contract/inbox.ts";
import { testReminders } from "./contract/reminders.ts";
import { testSchedule } from "./contract/schedule.ts";

export { type DispatchPlace, growLog } from "./contract/dispatch-case.ts";

/** Your test function, and the dispatch to test. */
export interface TestDispatchOptions extends ContractOptions<DispatchPlace> {}

/** What schedules, inboxes, approvals and events must do wherever they are kept, as tests. Call it once, in a test file. */
export function testDispatch(options: TestDispatchOptions): void {
  const check = checkIn(options);
  testSchedule(check);
  testAttempts(check);
  testReminders(check);
  testInbox(check);
  testApprovals(check);
  testEvents(check);
  testForget(check);
}

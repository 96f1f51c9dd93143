import { testAddresses } from "./contract/addresses.ts";
import { testBudgets } from "./contract/budgets.ts";
import type { CoordinationCheck, CoordinationPlace } from "./contract/coordination-case.ts";
import { testLeases } from "./contract/leases.ts";
import { testMail } from "./contract/mail.ts";

export type { CoordinationPlace, OpenPlaceOptions } from "./contract/coordination-case.ts";

export interface TestCoordinationOptions {
  /** The test function of the runner in use: that of vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  /** A new, empty place. */
  place(): Promise<CoordinationPlace>;
}

/** What leases, budgets and mailboxes must do wherever they are kept, as tests. Call it once, in a test file, with the runner's own `test`. */
export function testCoordination({ test, place }: TestCoordinationOptions): void {
  const check: CoordinationCheck = (name, run) =>
    test(name, async () => {
      const somewhere = await place();
      try {
        await run(somewhere);
      } finally {
        await somewhere.remove();
      }
    });
  testLeases(check);
  testBudgets(check);
  testMail(check);
  testAddresses(check);
}

import { testAddresses } from "./contract/addresses.ts";
import { testBudgets } from "./contract/budgets.ts";
import { type ContractOptions, checkIn } from "./contract/check-in.ts";
import type { CoordinationPlace } from "./contract/coordination-case.ts";
import { testLeases } from "./contract/leases.ts";
import { testMail } from "./contract/mail.ts";

export type { CoordinationPlace, OpenPlaceOptions } from "./contract/coordination-case.ts";

/** Your test function, and the coordination to test. */
export interface TestCoordinationOptions extends ContractOptions<CoordinationPlace> {}

/** What leases, budgets and mailboxes must do wherever they are kept, as tests. Call it once, in a test file, with the runner's own `test`. */
export function testCoordination(options: TestCoordinationOptions): void {
  const check = checkIn(options);
  testLeases(check);
  testBudgets(check);
  testMail(check);
  testAddresses(check);
}

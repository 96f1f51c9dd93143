import type { Budgets } from "./budgets/budgets.ts";
import type { Leases } from "./leases/leases.ts";
import type { Mailboxes } from "./mail/mailboxes.ts";

/** The state that sessions share across processes, wherever it is kept. Every implementation passes `testCoordination`. */
export interface Coordination {
  readonly leases: Leases;
  readonly budgets: Budgets;
  readonly mailboxes: Mailboxes;
  /** Releases everything still held here: leases end as `killed`, mailboxes are stopped. */
  close(): Promise<void>;
}

import { randomUUID } from "node:crypto";
import type { Coordination } from "@palimpsest/coordination";
import { testCoordination } from "@palimpsest/coordination/test-coordination";
import { test } from "vitest";
import { openPostgresCoordination } from "../coordination/open-postgres-coordination.ts";
import type { TransactionPool } from "../database.ts";
import type { KeyRing } from "../key-ring/key-ring.ts";

/** The contract of coordination. Every case is another tenant of one database: what leaks from one to another fails a case. */
export function testCoordinationOverPool(pool: () => TransactionPool, keyRing?: () => KeyRing): void {
  testCoordination({
    test,
    async place() {
      const tenant = randomUUID();
      const opened: Coordination[] = [];
      const silentAfterMs = 300_000;
      let nowMs = 1_800_000_000_000;
      const clock = { now: () => nowMs };
      return {
        async open(options) {
          const keys = keyRing && { keyRing: keyRing() };
          const shared = { pool: pool(), tenant, clock, silentAfterMs, pollMs: 20, ...keys };
          const coordination = openPostgresCoordination({ ...shared, ...options });
          opened.push(coordination);
          return coordination;
        },
        nowMs: clock.now,
        advanceClock(byMs) {
          nowMs += byMs;
        },
        silentAfterMs,
        async remove() {
          for (const coordination of opened) await coordination.close();
        },
      };
    },
  });
}

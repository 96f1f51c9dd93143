import { randomUUID } from "node:crypto";
import { growLog, testDispatch } from "@palimpsest/coordination/test-dispatch";
import { test } from "vitest";
import type { Pool } from "../database.ts";
import {
  openPostgresDispatch,
  type PostgresDispatch,
  type PostgresDispatchOptions,
} from "../dispatch/open-postgres-dispatch.ts";
import { openPostgres } from "../open-postgres.ts";
import type { StartedDatabase } from "../test-server/start-database.ts";

interface Over {
  readonly database: StartedDatabase;
  readonly pool: Pool;
  readonly listen?: PostgresDispatchOptions["listen"];
  readonly keyRing?: PostgresDispatchOptions["keyRing"];
}

/** The contract. Every case is another tenant; since work is taken of all, a case leaves none behind. */
export function testDispatchOver(over: () => Over): void {
  testDispatch({
    test,
    async place() {
      const { database, pool, listen, keyRing } = over();
      const tenant = randomUUID();
      const opened: PostgresDispatch[] = [];
      const [silentAfterMs, maxAttempts] = [10_000, 3];
      let nowMs = 1_800_000_000_000;
      const clock = { now: () => nowMs };
      return {
        async open() {
          const ways = listen === undefined ? { pollMs: 50 } : { listen, pollMs: 600_000 };
          const keys = keyRing && { keyRing };
          const dispatch = openPostgresDispatch({ pool, clock, silentAfterMs, maxAttempts, ...ways, ...keys });
          opened.push(dispatch);
          return { ...dispatch.tenant(tenant), queue: dispatch.queue, close: dispatch.close };
        },
        growLog: (session, newestEntry) => growLog(openPostgres({ pool }).store({ tenant }), session, newestEntry),
        nowMs: clock.now,
        advanceClock(byMs) {
          nowMs += byMs;
        },
        silentAfterMs,
        maxAttempts,
        async remove() {
          for (const dispatch of opened) await dispatch.close();
          await database.admin.query("DELETE FROM palimpsest.wakeup WHERE tenant = $1", [tenant]);
          await database.admin.query("DELETE FROM palimpsest.reminder WHERE tenant = $1", [tenant]);
        },
      };
    },
  });
}

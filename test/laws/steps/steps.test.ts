import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { memoryStore, type Store } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite-store";
import { expect, test } from "vitest";
import { liveInSteps } from "./live-in-steps.ts";
import { turnPlan } from "./turn-plan.ts";

const SLOW = process.env["PALIMPSEST_SLOW"] !== undefined;
const UNKNOWN = "The outcome of this call is unknown";
/** The moment at which each process is killed, counted from its beginning: half of them live long enough to do something. */
const kills = fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 40 })), { maxLength: 6 });

interface Kept {
  readonly store: Store;
  close(): Promise<void>;
}

function inMemory(): Kept {
  const store = memoryStore({ leaseMs: 0 });
  return { store, close: () => store.close() };
}

function inSqlite(): Kept {
  const folder = mkdtempSync(join(tmpdir(), "steps-"));
  const store = sqliteStore({ folder, leaseMs: 0 });
  return {
    store,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test.each([
  ["memory", inMemory, SLOW ? 20_000 : 600],
  ["SQLite", inSqlite, SLOW ? 1_000 : 40],
] as const)(
  "in %s: a turn whose processes are killed leaves the same log as one that is not, but for what it tells as unknown",
  async (_, open, numRuns) => {
    const seen = { kills: 0, unknown: 0, repeated: 0, waited: 0 };
    await fc.assert(
      fc.asyncProperty(turnPlan, kills, async (plan, killedAt) => {
        const [one, other] = [open(), open()];
        try {
          const whole = await liveInSteps(plan, [], one.store);
          const lived = await liveInSteps(plan, killedAt, other.store);
          expect(["done", "refused"]).toContain(lived.end);
          expect(lived.end).toBe(whole.end);
          expect(lived.entries).toEqual(whole.entries);
          expect([...lived.results.keys()].sort()).toEqual([...whole.results.keys()].sort());
          for (const [label, content] of lived.results) {
            if (!content.startsWith(UNKNOWN)) expect(content).toBe(whole.results.get(label));
            else expect(label).toMatch(/^send/);
            if (content.startsWith(UNKNOWN)) seen.unknown++;
          }
          const { runs, paid } = lived.effects;
          for (const [label, count] of runs) {
            if (label.startsWith("send")) expect(count, label).toBe(1);
            if (label.startsWith("pay") && count > 1) seen.repeated++;
          }
          // A service that goes by the key has done each thing once.
          expect(new Set(paid.values()).size).toBe(paid.size);
          seen.kills += lived.kills;
          if (JSON.stringify(lived.entries).includes("Ask Ada")) seen.waited++;
        } finally {
          await Promise.all([one.close(), other.close()]);
        }
      }),
      { numRuns },
    );
    // What is tested must have happened.
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(numRuns / 40);
  },
  3_600_000,
);

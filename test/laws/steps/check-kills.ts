import fc from "fast-check";
import type { Store } from "palimpsest";
import { expect } from "vitest";
import { hold, isReplay } from "../hold.ts";
import { liveInSteps } from "./live-in-steps.ts";
import { turnPlan } from "./turn-plan.ts";

/** With fewer runs, something rare may not happen. */
const ENOUGH_RUNS = 200;
const UNKNOWN = "The outcome of this call is unknown";
/** The moment at which each process is killed, counted from its beginning: half of them live long enough to do something. */
const kills = fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 40 })), { maxLength: 6 });

/** A store for one session. */
export interface Kept {
  readonly store: Store;
  close(): Promise<void>;
}

/** A turn whose processes are killed leaves the same log as one that is not, but for what it tells as unknown. */
export async function checkKills(place: string, open: () => Kept, numRuns: number): Promise<void> {
  const seen = { kills: 0, unknown: 0, repeated: 0, waited: 0 };
  await hold(
    `kills, ${place}`,
    [turnPlan, kills],
    async (plan, killedAt) => {
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
    },
    { numRuns, counts: () => seen },
  );
  if (isReplay()) return;
  // What is tested must have happened.
  if (numRuns < ENOUGH_RUNS) return;
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(numRuns / 100);
}

import { importSession, type RecordedEntry } from "@palimpsest/observe";
import fc from "fast-check";
import { exportLog, memoryResults, memoryStore, type Store } from "palimpsest";
import { describe, expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { recordedSessions } from "./imported-sessions.ts";
import { live } from "./live.ts";
import { operations } from "./operations.ts";
import { POLICY_NAMES } from "./policies.ts";
import { anthropicWorld, chatWorld, responsesWorld, type World } from "./worlds.ts";

const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 25 : 2_000;
const WORLDS: readonly (readonly [string, () => World])[] = [
  () => anthropicWorld("bound"),
  responsesWorld,
  () => chatWorld(),
].map((create) => [create().name, create]);

describe.each(WORLDS)("a session of another agent that continues with %s", (name, create) => {
  test("obeys the laws, whatever stands in its transcript; what was imported never changes", async () => {
    const seen = { imported: 0, entries: 0, compactions: 0, requests: 0 };
    await hold(
      `imported sessions with ${name}`,
      [recordedSessions, operations, fc.constantFrom(...POLICY_NAMES)],
      async (recorded, list, policy) => {
        const store = memoryStore({ leaseMs: 0 });
        const imported = await importSession(oneByOne(recorded), { store, id: "s" });
        if (imported.kind === "imported") {
          seen.imported++;
          seen.entries += imported.entries;
          seen.compactions += imported.compactions;
        }
        const before = await linesOf(store);
        const { requests } = await live(create(), list, policy, { store, files: memoryResults() });
        seen.requests += requests;
        expect((await linesOf(store)).slice(0, before.length)).toEqual(before);
      },
      { numRuns: RUNS, counts: () => seen },
    );
    if (isReplay()) return;
    expect(Math.min(seen.imported, seen.compactions, seen.requests)).toBeGreaterThan(RUNS / 10);
  }, 3_600_000);
});

async function* oneByOne(recorded: readonly RecordedEntry[]): AsyncGenerator<RecordedEntry> {
  yield* recorded;
}

async function linesOf(store: Store): Promise<readonly string[]> {
  const reader = await store.openReader("s");
  return reader === undefined ? [] : Array.fromAsync(exportLog(reader));
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { exportLog, importLog, memoryResults, memoryStore, type Store } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { hostileOperations, stringsOf } from "./hostile-content.ts";
import { live } from "./live.ts";
import { operations } from "./operations.ts";
import { POLICY_NAMES } from "./policies.ts";
import { anthropicWorld, chatWorld, responsesWorld, type World } from "./worlds.ts";

const RUNS = process.env["PALIMPSEST_SLOW"] === undefined ? 20 : 2_000;
const WORLDS: readonly (readonly [string, () => World])[] = [
  () => anthropicWorld("bound"),
  responsesWorld,
  () => chatWorld(),
].map((create) => [create().name, create]);

const folder = mkdtempSync(join(tmpdir(), "palimpsest-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let lives = 0;
const STORES: Readonly<Record<"memory" | "SQLite", () => Store>> = {
  memory: () => memoryStore({ leaseMs: 0 }),
  SQLite: () => sqliteStore({ folder: join(folder, String(lives++)) }),
};

describe.each(WORLDS)("hostile content with %s", (name, create) => {
  test("breaks no law in memory or in SQLite, leaves no half characters in a request, changes no prototype, and outlives an export", async () => {
    const seen = { requests: 0, stored: 0, SQLite: 0, lines: 0 };
    await hold(
      `hostile content with ${name}`,
      [hostileOperations(operations), fc.constantFrom(...POLICY_NAMES), fc.constantFrom("memory", "SQLite")],
      async (list, policy, where) => {
        const store = STORES[where]();
        try {
          const { sent, requests, stored } = await live(create(), list, policy, { store, files: memoryResults() });
          seen.requests += requests;
          seen.stored += stored;
          if (where === "SQLite") seen.SQLite++;
          for (const { json } of sent)
            for (const text of stringsOf(JSON.parse(json))) expect(text.isWellFormed()).toBe(true);
          expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
          seen.lines += await checkExport(store);
        } finally {
          await store.close();
        }
      },
      { numRuns: RUNS, counts: () => seen },
    );
    if (isReplay()) return;
    expect(Math.min(seen.requests, seen.SQLite, seen.lines)).toBeGreaterThan(RUNS / 10);
  }, 3_600_000);
});

/** A log that was exported and imported is exported as the same lines. Resolves to how many. */
async function checkExport(store: Store): Promise<number> {
  const lines = await Array.fromAsync(exportLog((await store.openReader("s"))!));
  const other = memoryStore({ leaseMs: 0 });
  const opened = await other.openWriter("s", { owner: "law" });
  if (opened.kind !== "opened") throw new Error(`no writer: ${opened.kind}`);
  expect(await importLog(opened.writer, lines)).toEqual({ kind: "imported", entries: lines.length });
  expect(await Array.fromAsync(exportLog((await other.openReader("s"))!))).toEqual(lines);
  return lines.length;
}

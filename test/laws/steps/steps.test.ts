import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite";
import { test } from "vitest";
import { checkKills, type Kept } from "./check-kills.ts";

const SLOW = process.env["PALIMPSEST_SLOW"] !== undefined;

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
  ["memory", inMemory, SLOW ? 20_000 : 200],
  ["SQLite", inSqlite, SLOW ? 1_000 : 20],
] as const)(
  "in %s: a turn whose processes are killed leaves the same log as one that is not, but for what it tells as unknown",
  (place, open, numRuns) => checkKills(place, open, numRuns),
  3_600_000,
);

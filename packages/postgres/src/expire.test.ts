import { randomUUID } from "node:crypto";
import { EMPTY_LOG, sealEntries, sha256 } from "palimpsest/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { manualClock } from "./testing/manual-clock.ts";
import { type StartedDatabase, startDatabase } from "./testing/start-database.ts";

let database: StartedDatabase;

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(() => database.stop());

const HOUR_MS = 3_600_000;

async function write(store: PostgresStore, session: string, kind = "message", payload: unknown = {}): Promise<void> {
  const opened = await store.openWriter(session, { owner: "test" });
  if (opened.kind === "busy") throw new Error("busy");
  const drafts = [{ kind, version: 1, payload: JSON.stringify(payload) }];
  await opened.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 1, digest: sha256 }));
  await opened.writer.close();
}

test("what was silent for too long goes; what is recent, held, cited or another tenant's stays", async () => {
  const clock = manualClock();
  const postgres = openPostgres({ pool: database.workers, clock });
  const [store, stranger] = [postgres.store({ tenant: randomUUID() }), postgres.store({ tenant: randomUUID() })];
  for (const session of ["a-old", "b-held", "c-parent", "e-old"]) await write(store, session);
  await write(stranger, "a-old");
  await store.openWriter("b-held", { owner: "somebody" });
  clock.stall(2 * HOUR_MS);
  // The process of the holder is heard of again.
  await clock.advance(10_000);
  await write(store, "d-fork", "fork", { session: "c-parent", sequence: 1, hash: "" });
  const silentSinceMs = clock.now() - HOUR_MS;
  const first = await store.expire({ silentSinceMs, limit: 3 });
  expect(first).toEqual({
    deleted: ["a-old"],
    kept: [
      { id: "b-held", why: "busy" },
      { id: "c-parent", why: "cited" },
    ],
    next: "c-parent",
  });
  expect(await store.expire({ silentSinceMs, limit: 3, after: first.next! })).toEqual({ deleted: ["e-old"], kept: [] });
  expect((await store.list()).sessions.map(({ id }) => id)).toEqual(["b-held", "c-parent", "d-fork"]);
  expect((await stranger.list()).sessions).toEqual([{ id: "a-old" }]);
  await store.close();
});

import { createDatabase, type Database, type Pool } from "../database.ts";
import type { ObjectStore } from "./object-store.ts";

/** The database, the objects, and how old an object must be. */
export interface SweepOptions {
  /** With a role that has `palimpsest_worker`. */
  readonly pool: Pool;
  readonly objects: ObjectStore;
  /**
   * `remove` lists the whole bucket (below the prefix of `objects`) and removes objects that the database does not know: those that came
   * after the backup from which it was restored. Never do it where two databases share a bucket and a prefix. @default "leave"
   */
  readonly strays?: "leave" | "remove";
  /** @default the database's clock, and this machine's for the age of strays */
  readonly clock?: { now(): number };
}

/** How many results and stray objects were deleted. */
export interface Swept {
  /** Deleted results, and uploads that were left half-way for a day. */
  readonly results: number;
  /** Objects that the database did not know. */
  readonly strays: number;
}

const PAGE_RESULTS = 100;
const AT_ONCE = 8;
/** No upload takes so long; who tries to keep one later is told. */
const STALE_MS = 86_400_000;

/**
 * Removes what nobody needs any more from the bucket: of all tenants, deleted ones too. Run it every minute or so, on any number of
 * machines; it can be killed at any point, and the next run does the rest. Objects are removed before the database forgets them.
 */
export async function sweepObjects({ pool, objects, strays = "leave", clock }: SweepOptions): Promise<Swept> {
  const database = createDatabase(pool);
  let results = 0;
  for (let after = ""; ; ) {
    const rows = await database.call("doomed_objects", [after, PAGE_RESULTS, clock?.now() ?? null, STALE_MS]);
    const keys = rows.map((row) => String(row["doomed_objects"]));
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const some = keys.slice(at, at + AT_ONCE);
      await Promise.all(some.map((key) => removeBelow(objects, key)));
      await database.call("forget_objects", [some]);
    }
    results += keys.length;
    if (keys.length < PAGE_RESULTS) break;
    after = keys.at(-1)!;
  }
  const beforeMs = (clock?.now() ?? Date.now()) - STALE_MS;
  return { results, strays: strays === "remove" ? await removeStrays(database, objects, beforeMs) : 0 };
}

/** Removes all objects of one result, however many there are. */
export async function removeBelow(objects: ObjectStore, key: string): Promise<void> {
  for await (const page of objects.list(`${key}/`)) for (const { key: one } of page) await objects.remove(one);
}

/** The database knows every key before its first byte is sent, so one that it does not know has no result. */
async function removeStrays(database: Database, objects: ObjectStore, beforeMs: number): Promise<number> {
  let count = 0;
  for await (const page of objects.list("")) {
    const old = page.filter(({ atMs }) => atMs < beforeMs).map(({ key }) => key);
    const rows = await database.call("unknown_objects", [old.map(keyOfResult)]);
    const unknown = new Set(rows.map((row) => String(row["unknown_objects"])));
    for (const key of old.filter((one) => unknown.has(keyOfResult(one)))) {
      await objects.remove(key);
      count++;
    }
  }
  return count;
}

function keyOfResult(key: string): string {
  return key.slice(0, key.lastIndexOf("/"));
}

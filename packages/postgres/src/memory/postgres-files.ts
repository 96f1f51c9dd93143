import { setTimeout as sleep } from "node:timers/promises";
import { type Author, ClosedMemoryError, type MemoryLimits } from "@palimpsest/memory";
import {
  type ChangeSet,
  commitObject,
  INDEX_PATH,
  type MemoryFiles,
  type MemoryView,
  type PlannedChanges,
  rowsAfter,
  toMemoryFile,
  treesOf,
} from "@palimpsest/memory/memory-parts";
import type { Database, Row } from "../database.ts";
import { DatabaseError } from "../database-error.ts";
import type { MemorySeals } from "./memory-seals.ts";
import { blobsOf, type ChangedFile, EMPTY_MEMORY, type MemoryState, stateAfter } from "./memory-state.ts";
import { type CallMemory, postgresHistory } from "./postgres-history.ts";

export interface PostgresFilesOptions {
  readonly database: Database;
  readonly tenant: string;
  readonly name: string;
  readonly clock: { now(): number };
  readonly limits: MemoryLimits;
  readonly busyTimeoutMs: number;
  readonly seals: MemorySeals;
}

/** A writer waits for a random part of this before it tries again, and for twice as long each time, up to the longest. */
const PAUSE_MS = { first: 4, longest: 500 } as const;

/**
 * The files of a memory in PostgreSQL. This process keeps the newest state that it has seen, and asks for what has changed since:
 * one round trip to look, one more to write. Nothing is locked in between, and no connection is held: a commit names the commit that it
 * was planned upon, and is planned again where another writer was faster.
 */
export function postgresFiles(options: PostgresFilesOptions): MemoryFiles {
  const { database, tenant, name, clock, limits, busyTimeoutMs, seals } = options;
  let known = EMPTY_MEMORY;
  let phase: "open" | "closed" = "open";
  let lastWrite: Promise<unknown> = Promise.resolve();

  const call: CallMemory = async (procedure, ...values) => {
    if (phase === "closed") throw new ClosedMemoryError(`PostgreSQL (tenant ${tenant}, memory ${name})`);
    return database.call(procedure, [tenant, name, ...values]);
  };

  /** Undefined if the row names no file, or if its key is lost: then the file is erased. */
  async function toChanged(row: Row): Promise<ChangedFile | undefined> {
    if (row["path"] === null) return undefined;
    const number = Number(row["number"]);
    const path = await seals.open(String(row["name"]), number, "path");
    const kept = row["content"] === null ? undefined : String(row["content"]);
    if (path === undefined) return undefined;
    const content = kept === undefined ? undefined : await seals.open(kept, number, path);
    return {
      path,
      key: String(row["path"]),
      author: row["author"] as Author,
      atMs: Number(row["at_ms"]),
      content: content === undefined ? undefined : Buffer.from(content),
    };
  }

  async function readState(): Promise<MemoryState> {
    const before = known;
    const rows = await call("read_memory", before.number, before.id);
    const [first] = rows;
    if (first === undefined) known = EMPTY_MEMORY;
    else if (Number(first["base"]) !== before.number || Number(first["head"]) !== before.number) {
      // Deleted and begun again, if the state that was known is no base any more.
      const base = Number(first["base"]) === 0 ? EMPTY_MEMORY : before;
      const changed = (await Promise.all(rows.map(toChanged))).filter((file) => file !== undefined);
      known = stateAfter(base, { number: Number(first["head"]), id: String(first["id"]), changed }, limits);
    } else return before;
    return known;
  }

  /** Returns the id of the new commit; undefined if another one has taken its place. */
  async function commit(state: MemoryState, { by, message, changes }: ChangeSet, nowMs: number) {
    const { tree } = treesOf(blobsOf(rowsAfter(state.rows, changes, nowMs)));
    const parent = state.number === 0 ? undefined : state.id;
    const authors = new Map(changes.map(({ path, author }) => [path, author]));
    const id = await seals.idOf(commitObject({ by, message, atMs: nowMs, authors }, { tree, parent }).id);
    const number = state.number + 1;
    const changed = await Promise.all(
      changes.map(async ({ path, author, after }) => ({
        path,
        author,
        key: state.keys.get(path) ?? (await seals.keyOf(path)),
        name: await seals.seal(path, number, "path"),
        atMs: nowMs,
        content: after === undefined ? undefined : Buffer.from(after),
        kept: after === undefined ? null : await seals.seal(Buffer.from(after).toString(), number, path),
      })),
    );
    const [row] = await call(
      "commit_memory",
      ...[state.number, state.id, id, by, nowMs, await seals.seal(message, number, "message")],
      changed.map(({ key }) => key),
      changed.map(({ name: sealed }) => sealed),
      changed.map(({ author }) => author),
      changed.map(({ kept }) => kept),
    );
    if (row?.["commit_memory"] !== true) return undefined;
    known = stateAfter(state, { number, id, changed }, limits);
    return id;
  }

  async function change<Outcome>(plan: (view: MemoryView) => PlannedChanges<Outcome>): Promise<Outcome> {
    const startedAtMs = Date.now();
    for (let tries = 1; ; tries++) {
      const state = await readState();
      const view = viewOf(state, limits, clock.now());
      const planned = plan(view);
      if ("outcome" in planned) return planned.outcome;
      const made = await commit(state, planned.set, view.nowMs);
      if (made !== undefined) return planned.outcomeOf({ kind: "done", commit: made });
      if (Date.now() - startedAtMs > busyTimeoutMs) {
        const why = `others were faster ${tries} times in ${busyTimeoutMs} ms`;
        throw new DatabaseError("commit_memory", "conflict", { cause: why });
      }
      await sleep(Math.random() * Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** tries));
    }
  }

  return {
    limits,
    now: () => clock.now(),
    async look(work) {
      const { rows, contents } = await readState();
      return work({
        rows,
        read(path) {
          const [bytes, version] = [contents.get(path), rows.get(path)?.version];
          return bytes === undefined || version === undefined ? undefined : { bytes, version };
        },
      });
    },
    async read(paths) {
      const { rows, contents } = await readState();
      const found = paths.flatMap((path) => {
        const [bytes, row] = [contents.get(path), rows.get(path)];
        if (bytes === undefined || row?.version === undefined) return [];
        return [[path, toMemoryFile({ bytes, version: row.version }, row, row.updatedAtMs)] as const];
      });
      return new Map(found);
    },
    readIndex: async () => (await readState()).contents.get(INDEX_PATH),
    change(plan) {
      // One after the other: writes of one process need not be in each other's way.
      const done = lastWrite.then(() => change(plan));
      lastWrite = done.catch(() => undefined);
      return done;
    },
    problems: async () => [],
    ...postgresHistory(call, seals),
    async noteUse(slugs) {
      const used = [...new Set(slugs)];
      const keys = await Promise.all(used.map((slug) => seals.keyOf(slug)));
      const names = await Promise.all(used.map((slug) => seals.seal(slug, 0, "slug")));
      await call("note_uses", keys, names, clock.now());
    },
    async uses() {
      const rows = await call("read_uses");
      const uses = rows.map(async ({ name: kept, uses: count, last_at_ms: lastAtMs }) => {
        const slug = await seals.open(String(kept), 0, "slug");
        return slug === undefined ? [] : [[slug, { count: Number(count), lastAtMs: Number(lastAtMs) }] as const];
      });
      return new Map((await Promise.all(uses)).flat());
    },
    async close() {
      phase = "closed";
    },
  };
}

function viewOf({ rows, contents }: MemoryState, limits: MemoryLimits, nowMs: number): MemoryView {
  return { rows, limits, nowMs, bytes: (path) => contents.get(path) ?? Buffer.alloc(0), isUnsafe: () => false };
}

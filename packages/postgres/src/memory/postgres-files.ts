import { DatabaseSync } from "node:sqlite";
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
import { createDatabase, type Database, inTransaction, type TransactionPool } from "../database.ts";
import { DatabaseError } from "../database-error.ts";
import { blobsOf, EMPTY_MEMORY, type MemoryState, stateAfter } from "./memory-state.ts";
import { type CallMemory, postgresHistory } from "./postgres-history.ts";

export interface PostgresFilesOptions {
  readonly pool: TransactionPool;
  readonly tenant: string;
  readonly name: string;
  readonly clock: { now(): number };
  readonly limits: MemoryLimits;
  readonly busyTimeoutMs: number;
}

/**
 * The files of a memory in PostgreSQL. This process keeps the newest state that it has seen, and asks for what has changed since:
 * one round trip to look, one more to write. No lock is held between the two: a commit names the commit that it was planned upon.
 * Where another writer was faster, the changes are planned once more, with the other writers in a line behind.
 */
export function postgresFiles(options: PostgresFilesOptions): MemoryFiles {
  const { pool, tenant, name, clock, limits, busyTimeoutMs } = options;
  let known = EMPTY_MEMORY;
  let search: DatabaseSync | undefined;
  let phase: "open" | "closed" = "open";

  const callOf = (database: Database): CallMemory => {
    return async (procedure, ...values) => {
      if (phase === "closed") throw new ClosedMemoryError(`PostgreSQL (tenant ${tenant}, memory ${name})`);
      return database.call(procedure, [tenant, name, ...values]);
    };
  };
  const call = callOf(createDatabase(pool));

  async function readState(ask: CallMemory = call): Promise<MemoryState> {
    const before = known;
    const rows = await ask("read_memory", before.number, before.id);
    const [first] = rows;
    if (first === undefined) known = EMPTY_MEMORY;
    else if (Number(first["base"]) !== before.number || Number(first["head"]) !== before.number) {
      // Deleted and begun again, if the state that was known is no base any more.
      const base = Number(first["base"]) === 0 ? EMPTY_MEMORY : before;
      const changed = rows.flatMap(({ path, author, at_ms: atMs, content }) =>
        path === null
          ? []
          : [
              {
                path: String(path),
                author: author as Author,
                atMs: Number(atMs),
                content: content === null ? undefined : Buffer.from(String(content)),
              },
            ],
      );
      known = stateAfter(base, { number: Number(first["head"]), id: String(first["id"]), changed }, limits);
    } else return before;
    return known;
  }

  /** Returns the id of the new commit; undefined if another one has taken its place. */
  async function commit(ask: CallMemory, state: MemoryState, { by, message, changes }: ChangeSet, nowMs: number) {
    const { tree } = treesOf(blobsOf(rowsAfter(state.rows, changes, nowMs)));
    const parent = state.number === 0 ? undefined : state.id;
    const authors = new Map(changes.map(({ path, author }) => [path, author]));
    const { id } = commitObject({ by, message, atMs: nowMs, authors }, { tree, parent });
    const changed = changes.map(({ path, author, after }) => ({
      path,
      author,
      atMs: nowMs,
      content: after === undefined ? undefined : Buffer.from(after),
    }));
    const [row] = await ask(
      "commit_memory",
      ...[state.number, state.id, id, by, nowMs, message],
      changed.map(({ path }) => path),
      changed.map(({ author }) => author),
      changed.map(({ content }) => content?.toString() ?? null),
      busyTimeoutMs,
    );
    if (row?.["commit_memory"] !== true) return undefined;
    known = stateAfter(state, { number: state.number + 1, id, changed }, limits);
    return id;
  }

  /** Returns what comes of the plan; undefined if another writer was faster. */
  async function tryChange<Outcome>(
    ask: CallMemory,
    plan: (view: MemoryView) => PlannedChanges<Outcome>,
  ): Promise<(() => Outcome) | undefined> {
    const state = await readState(ask);
    const view = viewOf(state, limits, clock.now());
    const planned = plan(view);
    if ("outcome" in planned) return () => planned.outcome;
    const made = await commit(ask, state, planned.set, view.nowMs);
    return made === undefined ? undefined : () => planned.outcomeOf({ kind: "done", commit: made });
  }

  /** The same, alone: other writers wait until it is done. */
  const changeAlone = <Outcome>(plan: (view: MemoryView) => PlannedChanges<Outcome>) =>
    inTransaction(pool, async (database) => {
      const ask = callOf(database);
      await ask("lock_memory", busyTimeoutMs);
      return tryChange(ask, plan);
    });

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
    async change(plan) {
      const done = (await tryChange(call, plan)) ?? (await changeAlone(plan));
      if (done !== undefined) return done();
      throw new DatabaseError("commit_memory", "conflict", { cause: "the memory was deleted at this moment" });
    },
    problems: async () => [],
    ...postgresHistory(call),
    openSearchDatabase() {
      search ??= new DatabaseSync(":memory:");
      return search;
    },
    async noteUse(slugs) {
      await call("note_uses", slugs, clock.now());
    },
    async uses() {
      const rows = await call("read_uses");
      return new Map(
        rows.map((row) => [String(row["slug"]), { count: Number(row["uses"]), lastAtMs: Number(row["last_at_ms"]) }]),
      );
    },
    async close() {
      phase = "closed";
      search?.close();
      search = undefined;
    },
  };
}

function viewOf({ rows, contents }: MemoryState, limits: MemoryLimits, nowMs: number): MemoryView {
  return { rows, limits, nowMs, bytes: (path) => contents.get(path) ?? Buffer.alloc(0), isUnsafe: () => false };
}

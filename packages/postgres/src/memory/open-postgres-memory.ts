import { DEFAULT_LIMITS, type Memory, type MemoryLimits } from "@palimpsest/memory";
import { type CreateMemoryOptions, createMemory } from "@palimpsest/memory/memory-parts";
import { checkName } from "../check-name.ts";
import { createDatabase, type TransactionPool } from "../database.ts";
import { postgresFiles } from "./postgres-files.ts";

/** Names one memory of a tenant. */
export interface MemoryAddress {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`. */
  readonly pool: TransactionPool;
  readonly tenant: string;
  /** One per scope within the tenant: a user, a project. */
  readonly name: string;
}

export interface PostgresMemoryOptions extends MemoryAddress, CreateMemoryOptions {
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** @default DEFAULT_LIMITS */
  readonly limits?: Partial<MemoryLimits>;
  /** How long a write waits for other writers, in real time. @default 30,000 */
  readonly busyTimeoutMs?: number;
}

/**
 * Opens a memory in PostgreSQL: the same as that of a folder, without edits by hand. Run `migrate` before. Opening costs nothing, the
 * first use reads the whole memory, and every further one what has changed since: keep it open for as long as a session lasts.
 */
export function openPostgresMemory(options: PostgresMemoryOptions): Memory {
  const { pool, clock = { now: Date.now }, busyTimeoutMs = 30_000 } = options;
  const files = postgresFiles({
    pool,
    tenant: checkName("tenant", options.tenant),
    name: checkName("memory", options.name),
    clock,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    busyTimeoutMs,
  });
  return createMemory(files, options);
}

/** Deletes one memory with its whole history. */
export async function deletePostgresMemory({ pool, tenant, name }: MemoryAddress): Promise<"deleted" | "absent"> {
  const values = [checkName("tenant", tenant), checkName("memory", name)];
  const [row] = await createDatabase(pool).call("delete_memory", values);
  return row?.["delete_memory"] === true ? "deleted" : "absent";
}

import { DEFAULT_LIMITS, type Memory, type MemoryLimits } from "@palimpsest/memory";
import { type CreateMemoryOptions, createMemory } from "@palimpsest/memory/memory-parts";
import { checkName } from "../check-name.ts";
import { createDatabase, type Pool } from "../database.ts";
import type { KeyRing } from "../key-ring/key-ring.ts";
import { sealsFor } from "../key-ring/tenant-seals.ts";
import { memorySeals } from "./memory-seals.ts";
import { postgresFiles } from "./postgres-files.ts";

/** Names one memory of a tenant. */
export interface MemoryAddress {
  /** Yours: it is neither configured nor ended here. Its role needs `palimpsest_worker`. */
  readonly pool: Pool;
  readonly tenant: string;
  /** One per scope within the tenant: a user, a project. */
  readonly name: string;
}

export interface PostgresMemoryOptions extends MemoryAddress, CreateMemoryOptions {
  /** @default the system's clock */
  readonly clock?: { now(): number };
  /** @default DEFAULT_LIMITS */
  readonly limits?: Partial<MemoryLimits>;
  /**
   * Encrypts texts and names of topics with keys of the tenant. What was written before is read as it is. A key that is lost erases what it
   * encrypted. @default not encrypted
   */
  readonly keyRing?: KeyRing;
  /** How long a write is tried again while other processes are faster, in real time. @default 30,000 */
  readonly busyTimeoutMs?: number;
}

/**
 * Opens a memory in PostgreSQL: the same as that of a folder, without edits by hand. Run `migrate` before. Opening costs nothing, the
 * first use reads the whole memory, and every further one what has changed since: keep it open for as long as a session lasts.
 */
export function openPostgresMemory(options: PostgresMemoryOptions): Memory {
  const { pool, clock = { now: Date.now }, busyTimeoutMs = 30_000 } = options;
  const files = postgresFiles({
    database: createDatabase(pool),
    tenant: checkName("tenant", options.tenant),
    name: checkName("memory", options.name),
    clock,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    busyTimeoutMs,
    seals: memorySeals(sealsFor(options.keyRing, options.tenant), options.name),
  });
  return createMemory(files, options);
}

/** Deletes one memory with its whole history. */
export async function deletePostgresMemory({ pool, tenant, name }: MemoryAddress): Promise<"deleted" | "absent"> {
  const values = [checkName("tenant", tenant), checkName("memory", name)];
  const [row] = await createDatabase(pool).call("delete_memory", values);
  return row?.["delete_memory"] === true ? "deleted" : "absent";
}

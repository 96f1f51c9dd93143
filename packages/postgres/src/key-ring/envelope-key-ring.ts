import { randomBytes, randomUUID } from "node:crypto";
import { checkName } from "../check-name.ts";
import { createDatabase, type Pool, type Row } from "../database.ts";
import { createKeyCache } from "./key-cache.ts";
import type { KeyRing, TenantKey } from "./key-ring.ts";
import { localMasterKey, type MasterKey } from "./master-key.ts";

/** The pool, and how long keys are kept in the process. */
export interface KeyRingOptions {
  /**
   * Where the wrapped keys of tenants are kept, in the schema of `migrate`. With a database of its own for them, whose backups are kept for
   * a shorter time, a forgotten key is soon gone from every backup.
   */
  readonly pool: Pool;
  /** So long a key may be used without looking whether it was forgotten or rotated elsewhere. @default 60,000 */
  readonly maxAgeMs?: number;
  /** So many keys are held in memory. @default 1,000 */
  readonly maxKeys?: number;
  /** @default this machine's clock */
  readonly clock?: { now(): number };
}

/** A key ring whose master key stays in a key service. */
export interface EnvelopeKeyRingOptions extends KeyRingOptions {
  readonly masterKey: MasterKey;
}

/** A key ring whose master key is in the process. */
export interface LocalKeyRingOptions extends KeyRingOptions {
  /** 32 random bytes, the same in every process: `openssl rand -base64 32`. */
  readonly masterKey: Uint8Array;
}

/** Keys of tenants that are kept wrapped. */
export interface TenantKeyRing extends KeyRing {
  /** Makes a new key for what is written from now on; what the old ones encrypted is still read. Returns its id. */
  rotate(tenant: string): Promise<string>;
  /** Forgets all keys of a tenant. What they encrypted reads as erased: here at once, in other processes after `maxAgeMs`. */
  forgetTenantKey(tenant: string): Promise<void>;
}

type Purpose = "payload" | "names";

/** Keys of tenants, wrapped by a master key of this process. */
export function localKeyRing({ masterKey, ...options }: LocalKeyRingOptions): TenantKeyRing {
  return envelopeKeyRing({ ...options, masterKey: localMasterKey(masterKey) });
}

/** Keys of tenants, made here and wrapped by a master key that may be far away: it is asked once for each key, and again after `maxAgeMs`. */
export function envelopeKeyRing(options: EnvelopeKeyRingOptions): TenantKeyRing {
  const { pool, masterKey, maxAgeMs = 60_000, maxKeys = 1_000, clock = Date } = options;
  const database = createDatabase(pool);
  const limits = { maxAgeMs, maxKeys, now: () => clock.now() };
  const newest = createKeyCache<TenantKey>(limits);
  const known = createKeyCache<Uint8Array | undefined>(limits);
  // A name never contains a space.
  const nameIn = (tenant: string, name: string): string => `${tenant} ${name}`;

  async function unwrap(tenant: string, row: Row | undefined): Promise<TenantKey | undefined> {
    if (row === undefined) return undefined;
    const id = String(row["id"]);
    const key = await masterKey.unwrap(new Uint8Array(row["wrapped"] as Buffer), { tenant, id });
    return key && { id, key };
  }

  /** Of those that make the next key at once, the first wins, and the others take that one. */
  async function make(tenant: string, purpose: Purpose, number: number): Promise<TenantKey> {
    const id = randomUUID();
    const wrapped = await masterKey.wrap(randomBytes(32), { tenant, id });
    const [row] = await database.call("add_key", [tenant, id, purpose, number, Buffer.from(wrapped)]);
    // A master key that is gone leaves keys that nobody can use: they are followed by new ones.
    return (await unwrap(tenant, row)) ?? make(tenant, purpose, Number(row?.["number"]) + 1);
  }

  const find = async (tenant: string, purpose: Purpose): Promise<{ key?: TenantKey | undefined; number: number }> => {
    const [row] = await database.call("newest_key", [checkName("tenant", tenant), purpose]);
    return { key: await unwrap(tenant, row), number: Number(row?.["number"] ?? 0) };
  };
  const newestOf = (tenant: string, purpose: Purpose): Promise<TenantKey> =>
    newest.get(nameIn(tenant, purpose), async () => {
      const { key, number } = await find(tenant, purpose);
      return key ?? make(tenant, purpose, number + 1);
    });

  return {
    current: (tenant) => newestOf(tenant, "payload"),
    names: async (tenant) => (await newestOf(tenant, "names")).key,
    find: (tenant, id) =>
      known.get(nameIn(tenant, id), async () => {
        const [row] = await database.call("find_key", [checkName("tenant", tenant), id]);
        return (await unwrap(tenant, row))?.key;
      }),
    async rotate(tenant) {
      const { number } = await find(tenant, "payload");
      const { id } = await make(tenant, "payload", number + 1);
      newest.forget(nameIn(tenant, "payload"));
      return id;
    },
    async forgetTenantKey(tenant) {
      await database.call("forget_keys", [checkName("tenant", tenant)]);
      for (const cache of [newest, known]) cache.forget(nameIn(tenant, ""));
    },
  };
}

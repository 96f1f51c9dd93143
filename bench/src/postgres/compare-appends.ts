import { randomBytes } from "node:crypto";
import { localKeyRing, openPostgres, type Pool } from "@palimpsest/postgres";
import type { Store } from "palimpsest";
import { type Entry, type LogHead, type LogWriter, sealEntries, sha256 } from "palimpsest/core";
import { median, round } from "../statistics.ts";

const ROUNDS = 5;
const APPEND = `SELECT * FROM palimpsest.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
const TENANT = "appends";

interface Appends {
  readonly writers: number;
  readonly per_second: number;
  readonly bare_per_second: number;
  readonly ratio: number;
  readonly encrypted_per_second: number;
  /** Encrypted, to the same store without encryption. */
  readonly encrypted_ratio: number;
}

/** How entries are appended: by a store, by the driver alone, by a store that encrypts. */
const WAYS = ["store", "bare", "encrypted"] as const;

/** Appends through stores, and the same statement with the same values through the driver alone, in alternation. */
export async function compareAppends(
  pool: Pool,
  { writers: counts, forMs }: { readonly writers: readonly number[]; readonly forMs: number },
): Promise<readonly Appends[]> {
  const compared: Appends[] = [];
  const keyRing = localKeyRing({ pool, masterKey: randomBytes(32) });
  const plain = openPostgres({ pool }).store({ tenant: TENANT });
  const encrypted = openPostgres({ pool, keyRing }).store({ tenant: TENANT });
  for (const writers of counts) {
    const rates = { store: [] as number[], bare: [] as number[], encrypted: [] as number[] };
    for (let turn = 0; turn < WAYS.length * ROUNDS; turn++) {
      const way = WAYS[turn % WAYS.length]!;
      const logs = await openLogs(way === "encrypted" ? encrypted : plain, pool, writers, `${writers}-${turn}`);
      const endMs = performance.now() + forMs / ROUNDS;
      const startMs = performance.now();
      const done = await Promise.all(logs.map((log) => (way === "bare" ? byDriver : byStore)(log, pool, endMs)));
      const appends = done.reduce((sum, count) => sum + count, 0);
      rates[way].push(appends / ((performance.now() - startMs) / 1_000));
      await Promise.all(logs.map(({ writer }) => writer.close()));
    }
    const [store, bare, sealing] = [median(rates.store), median(rates.bare), median(rates.encrypted)];
    compared.push({
      writers,
      per_second: round(store),
      bare_per_second: round(bare),
      ratio: round(store / bare),
      encrypted_per_second: round(sealing),
      encrypted_ratio: round(sealing / store),
    });
  }
  return compared;
}

interface OpenLog {
  readonly writer: LogWriter;
  readonly number: string;
}

async function openLogs(store: Store, pool: Pool, count: number, name: string): Promise<readonly OpenLog[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const opened = await store.openWriter(`${name}-${index}`, { owner: "bench" });
      if (opened.kind === "busy") throw new Error("busy");
      const { rows } = await pool.query("SELECT palimpsest.find_session($1, $2) AS number", [
        TENANT,
        `${name}-${index}`,
      ]);
      return { writer: opened.writer, number: String((rows[0] as { number: string }).number) };
    }),
  );
}

async function byStore({ writer }: OpenLog, _pool: Pool, endMs: number): Promise<number> {
  return appendUntil(endMs, writer, async (entry) => {
    const { kind } = await writer.append([entry]);
    if (kind !== "appended") throw new Error(kind);
  });
}

async function byDriver({ writer, number }: OpenLog, pool: Pool, endMs: number): Promise<number> {
  return appendUntil(endMs, writer, async (entry) => {
    const { sequence, parent, kind, version, atMs, digest, hash, payload } = entry;
    const bytes = [digest, hash].map((hex) => Buffer.from(hex, "hex"));
    const values = [TENANT, number, writer.fence, null, sequence, parent, kind, version, atMs, ...bytes, payload];
    const { rows } = await pool.query(APPEND, values);
    if (rows.length > 0) throw new Error("refused");
  });
}

async function appendUntil(
  endMs: number,
  { head, digest: payloadDigest }: LogWriter,
  append: (entry: Entry) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let at: LogHead = await head(); performance.now() < endMs; count++) {
    const drafts = [{ kind: "message", version: 1, payload: JSON.stringify({ text: "x".repeat(400) }) }];
    const [entry] = sealEntries(drafts, { head: at, atMs: 1, digest: sha256, payloadDigest });
    await append(entry!);
    at = entry!;
  }
  return count;
}

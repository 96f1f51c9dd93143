import { createHash, randomUUID } from "node:crypto";
import type { ResultFiles } from "palimpsest";
import type { ResultContent } from "palimpsest/core";
import type { ResultDraft } from "palimpsest/store-parts";
import { checkName } from "../check-name.ts";
import type { Database } from "../database.ts";

export interface PostgresResultsOptions {
  readonly database: Database;
  readonly tenant: string;
  nowMs(): number | null;
}

/** What is held in memory of a result, and read in one round trip. */
const CHUNK_BYTES = 262_144;
const PAGE_SESSIONS = 100;
const FILE = /^[0-9a-f]{64}\.(txt|json)$/;

/** Keeps results in the database, in pieces: one backup and one deletion has them and their logs. */
export function postgresResults({ database, tenant, nowMs }: PostgresResultsOptions): ResultFiles {
  const call = (name: string, ...values: readonly unknown[]) => database.call(name, [tenant, ...values]);

  async function* chunksOf(content: string, first: Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
    let left = bytes - first.length;
    // A copy, so that the reader may change it.
    yield new Uint8Array(first);
    for (let number = 1; left > 0; number++) {
      const [row] = await call("read_chunk", content, number);
      const chunk = row?.["read_chunk"] as Buffer | null;
      if (chunk === null)
        throw new Error(`A result was removed while it was read: ${left} of ${bytes} bytes are gone.`);
      left -= chunk.length;
      yield new Uint8Array(chunk);
    }
  }

  return {
    async create(session) {
      checkName("session", session);
      return createDraft(call, session, nowMs);
    },
    async find(session, file): Promise<ResultContent | undefined> {
      if (!FILE.test(file)) return undefined;
      const [row] = await call("find_result", checkName("session", session), file);
      if (row === undefined) return undefined;
      const bytes = Number(row["size"]);
      return { bytes, chunks: () => chunksOf(String(row["content"]), row["bytes"] as Buffer, bytes) };
    },
    locate: () => undefined,
    async *sessions() {
      for (let after = ""; ; ) {
        const names = (await call("sessions_with_results", after, PAGE_SESSIONS)).map((row) =>
          String(row["sessions_with_results"]),
        );
        yield* names;
        if (names.length < PAGE_SESSIONS) return;
        after = names.at(-1)!;
      }
    },
    async measure(session) {
      const [row] = await call("measure_results", checkName("session", session));
      return row && { bytes: Number(row["bytes"]), newestAtMs: Number(row["newest_at_ms"]) };
    },
    async remove(session, file) {
      if (file === undefined || FILE.test(file))
        await call("remove_results", checkName("session", session), file ?? null);
    },
  };
}

function createDraft(
  call: (name: string, ...values: readonly unknown[]) => Promise<unknown>,
  session: string,
  nowMs: () => number | null,
): ResultDraft {
  const content = randomUUID();
  const hash = createHash("sha256");
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let bytes = 0;
  let chunks = 0;
  const taken = (): Buffer => {
    const joined = Buffer.concat(held, heldBytes);
    held = [];
    heldBytes = 0;
    return joined;
  };
  return {
    async write(piece) {
      hash.update(piece);
      // A copy, because the caller uses the bytes again; `slice` of a Buffer would be none.
      held.push(new Uint8Array(piece));
      heldBytes += piece.length;
      bytes += piece.length;
      if (heldBytes >= CHUNK_BYTES) await call("write_chunk", content, chunks++, nowMs(), taken());
    },
    async keep(ending) {
      const digest = hash.digest("hex");
      const file = `${digest}.${ending}`;
      await call("keep_result", session, file, content, bytes, chunks, nowMs(), taken());
      return { file, digest };
    },
    async discard() {
      taken();
      if (chunks > 0) await call("discard_content", content);
    },
  };
}

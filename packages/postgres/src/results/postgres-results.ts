import { randomUUID } from "node:crypto";
import type { ResultFiles } from "palimpsest";
import type { ResultContent } from "palimpsest/store-parts";
import { checkName } from "../check-name.ts";
import type { Database, Row } from "../database.ts";
import type { TenantSeals } from "../key-ring/tenant-seals.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import { NoObjectStoreError } from "../store-errors.ts";
import type { SinkOptions } from "./content.ts";
import { databaseContent, readDatabaseContent } from "./database-content.ts";
import { isWhole, objectContent, readObjectContent } from "./object-content.ts";
import { createResultDraft } from "./result-draft.ts";

export interface PostgresResultsOptions {
  readonly database: Database;
  readonly tenant: string;
  nowMs(): number | null;
  readonly large: LargeResults | undefined;
  readonly seals: TenantSeals;
}

/** Results beyond a size are kept in a bucket. */
export interface LargeResults {
  readonly objects: ObjectStore;
  /** A result with more bytes goes to the bucket. While it is written, so many are held in memory. @default 1,048,576 */
  readonly aboveBytes?: number;
}

/** Where the name of a result is kept. */
const namePlace = (session: string, file: string) => ["result-name", session, file];

interface FoundResult {
  readonly content: string;
  readonly size: string;
  readonly bytes: Buffer;
  readonly object_key: string | null;
  readonly key_id: string | null;
}

const ABOVE_BYTES = 1_048_576;
const PAGE_SESSIONS = 100;
const FILE = /^[0-9a-f]{64}\.(txt|json)$/;

/** Keeps results in the database, in pieces: one backup and one deletion has them and their logs. Large ones go to a bucket, if there is one. */
export function postgresResults({ database, tenant, nowMs, large, seals }: PostgresResultsOptions): ResultFiles {
  const call = (name: string, ...values: readonly unknown[]) => database.call(name, [tenant, ...values]);
  const aboveBytes = large?.aboveBytes ?? ABOVE_BYTES;
  const placeOf = (session: string, content: unknown) => ["result", session, String(content)];
  const namesOf = (session: string, file: string) => seals.namesOf(file, ["result", session]);

  return {
    async create(session) {
      const content = randomUUID();
      const place = placeOf(checkName("session", session), content);
      const { keyId, ...frames } = await seals.newFrames(place);
      async function isReadable(row: Row, bytes: number): Promise<boolean> {
        const key = row["object_key"] as string | null;
        if ((await seals.framesOf(row["key_id"] as string | null, place)) === undefined) return false;
        return key === null || (large !== undefined && isWhole(large.objects, key, bytes));
      }
      const options: SinkOptions = { call, session, content, keyId, nowMs, isReadable };
      return createResultDraft({
        frames,
        waitingBytes: large === undefined ? 0 : aboveBytes,
        sinkFor: (bytes) =>
          large !== undefined && bytes > aboveBytes
            ? objectContent({ ...options, objects: large.objects })
            : databaseContent(options),
        async nameOf(file) {
          const [kept] = await namesOf(session, file);
          const isSame = kept === file;
          return { file: kept, sealedName: isSame ? null : await seals.sealPayload(file, namePlace(session, kept)) };
        },
      });
    },
    async find(session, file): Promise<ResultContent | undefined> {
      if (!FILE.test(file)) return undefined;
      checkName("session", session);
      let row: Row | undefined;
      for (const name of await namesOf(session, file)) [row] = row ? [row] : await call("find_content", session, name);
      if (row === undefined) return undefined;
      const { content, size, bytes: first, object_key: key, key_id: keyId } = row as unknown as FoundResult;
      const bytes = Number(size);
      const frames = await seals.framesOf(keyId, placeOf(session, content));
      if (frames === undefined) return undefined;
      if (key === null) return readDatabaseContent({ call, content, bytes, first, frames });
      if (large === undefined) throw new NoObjectStoreError(bytes);
      return readObjectContent({ objects: large.objects, key, bytes, digest: file.slice(0, 64), frames });
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
      checkName("session", session);
      if (file === undefined) await call("remove_results", session, null);
      else if (FILE.test(file))
        for (const name of await namesOf(session, file)) await call("remove_results", session, name);
    },
  };
}

/** The name by which a session knows a result that the database has under another; undefined if it is gone, or its key is lost. */
export async function knownName(
  { database, tenant, seals }: Pick<PostgresResultsOptions, "database" | "tenant" | "seals">,
  session: string,
  file: string,
): Promise<string | undefined> {
  const [row] = await database.call("find_content", [tenant, session, file]);
  const sealed = row?.["sealed_name"] as string | null | undefined;
  return sealed === null || sealed === undefined ? row && file : seals.openPayload(sealed, namePlace(session, file));
}

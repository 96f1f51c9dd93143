import { exportLog, type Store } from "palimpsest";
import { eachSession } from "palimpsest/inspect";
import type { Database, Row } from "../database.ts";
import type { TenantSeals } from "../key-ring/tenant-seals.ts";
import { knownName } from "../results/postgres-results.ts";
import { type ExportCounts, type ExportLine, toEntryLine } from "./export-line.ts";

/** Tables that are read through the store; and what belongs to running processes, and to nobody when it is read elsewhere. */
const NOT_AS_ROWS = [
  ...["session", "session_metadata", "entry", "result", "result_chunk"],
  ...["address", "lease", "object_folder", "tenant_key", "api_token"],
];
const PAGE = 200;

export interface ExportTenantOptions {
  readonly database: Database;
  readonly store: Store;
  readonly tenant: string;
  readonly seals: TenantSeals;
  readonly nowMs: number;
}

/** Yields everything of a tenant as lines of JSON: logs with their chains, metadata, results, and rows of all other tables. */
export async function* exportTenant(options: ExportTenantOptions): AsyncGenerator<string> {
  const { database, store, tenant, nowMs } = options;
  const counts = { sessions: 0, entries: 0, results: 0, rows: 0 };
  yield lineOf({ kind: "tenant", format: 1, tenant, atMs: nowMs });
  for await (const listed of eachSession(store)) {
    const reader = await store.openReader(listed.id);
    // Deleted in between.
    if (reader === undefined) continue;
    counts.sessions++;
    yield lineOf({ kind: "session", ...listed });
    for await (const line of exportLog(reader)) {
      counts.entries++;
      yield toEntryLine(line);
    }
    await reader.close();
  }
  // Beside the sessions: results may outlive a session whose deletion was cut off.
  for await (const session of store.results.sessions()) {
    const listResults = (after: string) => database.call("list_results", [tenant, session, after, PAGE]);
    for await (const row of pages(listResults, (last) => String(last["list_results"]), "")) {
      const file = await knownName(options, session, String(row["list_results"]));
      const content = file && (await store.results.find(session, file));
      if (!content) continue;
      counts.results++;
      yield lineOf({ kind: "result", session, file, bytes: content.bytes });
      for await (const piece of content.chunks())
        yield lineOf({ kind: "piece", base64: Buffer.from(piece).toString("base64") });
    }
  }
  for (const { tenant_tables: name } of await database.call("tenant_tables", [])) {
    const table = String(name);
    if (NOT_AS_ROWS.includes(table)) continue;
    const readRows = (after: unknown) => database.call("read_tenant_rows", [tenant, table, after, PAGE]);
    for await (const row of pages(readRows, (last) => last["read_tenant_rows"], {})) {
      counts.rows++;
      yield lineOf({ kind: "row", table, row: row["read_tenant_rows"] });
    }
  }
  yield lineOf({ kind: "end", ...(counts satisfies ExportCounts) });
}

/** Rows of all pages; each begins behind the last row of the one before. */
async function* pages<Key>(
  read: (after: Key) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
  first: Key,
): AsyncGenerator<Row> {
  for (let after = first; ; ) {
    const rows = await read(after);
    yield* rows;
    if (rows.length < PAGE) return;
    after = keyOf(rows.at(-1)!);
  }
}

function lineOf(line: ExportLine): string {
  return JSON.stringify(line);
}

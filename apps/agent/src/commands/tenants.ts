import { createInterface } from "node:readline";
import { openPostgres, type PostgresTenants, type TenantDeletion, type TenantRows } from "@palimpsest/postgres";
import { table } from "../text/table.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inDatabase } from "./open-database.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const WORDS = COMMANDS["database tenants"].operands.completes;
const PAGE = 500;

/** Lists, counts, exports, imports and deletes tenants. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["database tenants"]);
  const action = oneOf("database tenants", positionals[0] ?? "list", WORDS)!;
  const { tenant, json = false } = values;
  const to = { database: values.database, application: "palimpsest database tenants" };
  if (action === "list")
    return inDatabase(terminal, to, (pool) => printNames(openPostgres({ pool }).tenants, terminal));
  if (tenant === undefined)
    throw new UsageError(`Missing --tenant. Usage: palimpsest database tenants ${action} --tenant NAME`);
  return inDatabase(terminal, to, async (pool) => {
    const { tenants } = openPostgres({ pool });
    switch (action) {
      case "show": {
        const counts = await tenants.count(tenant);
        await terminal.print(json ? JSON.stringify(counts) : countsText(tenant, counts));
        return EXIT.done;
      }
      case "export":
        for await (const line of tenants.export(tenant)) await terminal.print(line);
        return EXIT.done;
      case "import":
        return importLines(tenants, tenant, terminal);
      case "delete": {
        const counts = await tenants.count(tenant);
        if (values.yes !== true) {
          const question = `${countsText(tenant, counts)}\nTo delete all of it: palimpsest database tenants delete --tenant ${tenant} --yes`;
          await terminal.print(json ? JSON.stringify(counts) : question);
          return EXIT.done;
        }
        const writers = values["fence-writers"] === true ? "fence" : "refuse";
        const deletion = await tenants.delete(tenant, { writers });
        await terminal.print(json ? JSON.stringify(deletion) : deletionText(tenant, deletion));
        return deletion.kind === "deleted" ? EXIT.done : EXIT.failed;
      }
    }
  });
}

async function printNames(tenants: PostgresTenants, { print }: Terminal): Promise<number> {
  for (let after = ""; ; ) {
    const names = await tenants.list({ after, limit: PAGE });
    for (const name of names) await print(name);
    if (names.length < PAGE) return EXIT.done;
    after = names.at(-1)!;
  }
}

async function importLines(tenants: PostgresTenants, tenant: string, { input, print, say }: Terminal): Promise<number> {
  const result = await tenants.import(tenant, createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }));
  switch (result.kind) {
    case "imported": {
      const { sessions, entries, results, rows } = result;
      await print(`Imported ${sessions} sessions with ${entries} entries, and ${results} results.`);
      if (rows > 0) say(`${rows} rows of other tables were left out: they belong to running processes.`, "warning");
      return EXIT.done;
    }
    case "damaged":
      say(`Line ${result.line} is damaged: ${result.problem}. The lines before it were imported.`);
      return EXIT.failed;
    case "refused":
      say(`The tenant already has a session ${result.session}. Import into a tenant without this session.`);
      return EXIT.failed;
  }
}

function countsText(tenant: string, counts: TenantRows): string {
  const rows = Object.entries(counts);
  return rows.length === 0 ? `${tenant} has no data.` : table([["table", "rows"], ...rows]);
}

function deletionText(tenant: string, deletion: TenantDeletion): string {
  if (deletion.kind === "deleted") {
    const rows = Object.values(deletion.rows).reduce((sum, count) => sum + count, 0);
    return `Deleted ${tenant}: ${rows.toLocaleString("en-US")} rows.`;
  }
  const [first] = deletion.writers;
  const until = new Date(first!.freeAtMs).toISOString();
  return `Nothing was deleted: ${first!.owner} writes session ${first!.session} (one of ${deletion.writers.length}), at least until ${until}. Wait, or use --fence-writers.`;
}

import { type MigrationPlan, migrate, openPostgres, planMigrations } from "@palimpsest/postgres";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inDatabase } from "./open-database.ts";
import { countOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Creates or updates the tables in PostgreSQL. With `--dry-run`, prints what would run. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS["database migrate"]);
  const lockTimeoutMs = countOf("--lock-timeout", values["lock-timeout"]);
  const workerRole = values["worker-role"];
  const operatorRole = values["operator-role"];
  const dispatcherRole = values["dispatcher-role"];
  const isDry = values["dry-run"] === true;
  if (values.sql && !isDry) throw new UsageError("--sql needs --dry-run: palimpsest database migrate --dry-run --sql.");
  const to = { database: values.database, application: "palimpsest database migrate" };
  return inDatabase(terminal, to, async (pool) => {
    const plan = await planMigrations(pool);
    if (isDry) {
      await terminal.print(values.json ? JSON.stringify(plan) : values.sql ? sqlOf(plan) : planText(plan));
      return EXIT.done;
    }
    const options = {
      lockTimeoutMs,
      workerRole,
      operatorRole,
      dispatcherRole,
    };
    const migrated = await migrate(pool, options);
    const fenced = values.restored === true ? await openPostgres({ pool }).tenants.fenceAfterRestore() : undefined;
    if (values.json) {
      await terminal.print(JSON.stringify(fenced === undefined ? migrated : { ...migrated, fencedSessions: fenced }));
      return EXIT.done;
    }
    for (const { number, name } of plan.pending) await terminal.print(`Done: ${number} ${name}`);
    if (plan.pending.length === 0) await terminal.print(planText(plan));
    else await terminal.print(`The schema is at version ${migrated.version}.`);
    if (fenced !== undefined)
      await terminal.print(`Fenced ${fenced} sessions against processes from before the restore.`);
    if (workerRole !== undefined) await terminal.print(`The role ${workerRole} may serve sessions.`);
    if (operatorRole !== undefined)
      await terminal.print(`The role ${operatorRole} may list, export and delete tenants.`);
    if (dispatcherRole !== undefined)
      await terminal.print(`The role ${dispatcherRole} may run sessions of all tenants.`);
    return EXIT.done;
  });
}

function planText({ version, latest, pending }: MigrationPlan): string {
  if (version > latest)
    return `The schema is at version ${version}, newer than this program (${latest}). Nothing to do.`;
  if (pending.length === 0) return `The schema is up to date, at version ${version}.`;
  const lines = pending.map(({ number, name }) => `  ${number} ${name}`);
  return [`The schema is at version ${version}. These migrations would run:`, ...lines].join("\n");
}

/** Formats each migration as its own transaction, like the command runs it. */
function sqlOf({ pending }: MigrationPlan): string {
  return pending
    .map(({ number, name, sql }) => `-- ${number} ${name}\nBEGIN;\nSET LOCAL lock_timeout = 2000;\n${sql}\nCOMMIT;`)
    .join("\n\n");
}

import { type ExpirePlace, type ExpireReport, openPostgres, type RetentionPolicy } from "@palimpsest/postgres";
import { table } from "../text/table.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inDatabase } from "./open-database.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

const DAY_MS = 86_400_000;

/** Deletes old sessions and events of all tenants, until all are deleted or the program is interrupted. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS["database expire"]);
  const policy = toPolicy(values["older-than"], values.for ?? [], values["events-older-than"]);
  const signal = terminal.interruption();
  return inDatabase(
    terminal,
    { database: values.database, application: "palimpsest database expire" },
    async (pool) => {
      const { tenants } = openPostgres({ pool });
      const reports: ExpireReport[] = [];
      for (let next: ExpirePlace | undefined; !signal.aborted; ) {
        const report = await tenants.expire(policy, next === undefined ? {} : { after: next });
        reports.push(report);
        next = report.next;
        if (next === undefined) break;
      }
      const sum = addReports(reports);
      await terminal.print(values.json ? JSON.stringify(sum) : textOf(sum));
      return signal.aborted ? Number(signal.reason) : EXIT.done;
    },
  );
}

function toPolicy(
  olderThan: string | undefined,
  exceptions: readonly string[],
  eventsOlderThan: string | undefined,
): RetentionPolicy {
  if (olderThan === undefined && exceptions.length === 0)
    throw new UsageError("The age is missing: palimpsest database expire --older-than 90");
  const tenants = exceptions.map((text): [string, number | "forever"] => {
    const [name = "", days = ""] = text.split(/=(?=[^=]*$)/);
    if (name === "" || days === "") throw new UsageError(`--for takes NAME=DAYS, not ${JSON.stringify(text)}.`);
    return [name, toAge("--for", days)];
  });
  const defaultMs = olderThan === undefined ? "forever" : toAge("--older-than", olderThan);
  const events = eventsOlderThan === undefined ? {} : { eventsMs: toAge("--events-older-than", eventsOlderThan) };
  return { defaultMs, tenants: Object.fromEntries(tenants), ...events };
}

function toAge(option: string, days: string): number | "forever" {
  if (days === "forever") return days;
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(days) || Number(days) === 0)
    throw new UsageError(`${option} takes a number of days above 0, or "forever", not ${JSON.stringify(days)}.`);
  return Number(days) * DAY_MS;
}

function addReports(reports: readonly ExpireReport[]): ExpireReport {
  const deletedOf: Record<string, number> = {};
  for (const report of reports)
    for (const [tenant, count] of Object.entries(report.deletedOf))
      deletedOf[tenant] = (deletedOf[tenant] ?? 0) + count;
  const total = (count: "tenants" | "deleted" | "kept" | "events"): number =>
    reports.reduce((sum, report) => sum + report[count], 0);
  return {
    tenants: total("tenants"),
    deleted: total("deleted"),
    kept: total("kept"),
    events: total("events"),
    deletedOf,
  };
}

function textOf({ tenants, deleted, kept, events, deletedOf }: ExpireReport): string {
  const inUse = kept === 0 ? "" : ` ${kept} old ones are in use or cited by a fork, and were kept.`;
  const watched = events === 0 ? "" : ` Deleted ${events.toLocaleString("en-US")} old batches of events.`;
  const sum = `Deleted ${deleted.toLocaleString("en-US")} sessions of ${tenants.toLocaleString("en-US")} tenants.${inUse}${watched}`;
  const rows = Object.entries(deletedOf);
  return rows.length === 0 ? sum : `${table([["tenant", "deleted"], ...rows])}\n${sum}`;
}

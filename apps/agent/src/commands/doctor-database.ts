import { checkHealth, type Health } from "@palimpsest/postgres";
import { EXIT } from "./exit-codes.ts";
import { inDatabase } from "./open-database.ts";
import type { Terminal } from "./terminal.ts";

/** Checks whether a service could serve sessions with this database. */
export async function runDatabase(database: string, terminal: Terminal, json: boolean): Promise<number> {
  const to = { database, application: "palimpsest doctor" };
  const health = await inDatabase(terminal, to, (pool) => checkHealth(pool, { timeoutMs: 10_000 }));
  await terminal.print(json ? JSON.stringify(health) : textOf(health));
  return health.state === "down" ? EXIT.failed : EXIT.done;
}

function textOf({ state, problems, version, latest, roundTripMs, clockSkewMs }: Health): string {
  const found = problems.map((problem) => `${(state === "down" ? "problem" : "note").padEnd(8)} database: ${problem}`);
  if (version === undefined) return found.join("\n");
  const figures = `answers in ${Math.ceil(roundTripMs ?? 0)} ms, clocks ${Math.round(Math.abs(clockSkewMs ?? 0))} ms apart`;
  const seen = `${"ok".padEnd(8)} database: ${figures}, schema version ${version}, known here up to ${latest}`;
  return [seen, ...found].join("\n");
}

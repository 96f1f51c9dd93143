import { setTimeout as wait } from "node:timers/promises";
import { type FleetOverview, openPostgresDispatch, type PostgresDispatch } from "@palimpsest/postgres";
import { oneLine, table } from "../text/table.ts";
import { UsageError } from "../workspace/usage-error.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inDatabase } from "./open-database.ts";
import { amountOf, countOf, oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";
import { duration, plural } from "./text/notice.ts";

const WORDS = COMMANDS["database fleet"].operands.completes;
/** The control sequence that clears the screen. */
const CLEAR = "\u001b[H\u001b[2J";
const DEFAULT_EVERY_S = 2;
const DEFAULT_ROWS = 10;

/** Shows the workers of a service, and resumes sessions that were set aside. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, COMMANDS["database fleet"]);
  const action = oneOf("database fleet", positionals[0] ?? "top", WORDS)!;
  const session = positionals[1];
  const to = { database: values.database, application: "palimpsest database fleet" };
  if (action === "top") {
    if (session !== undefined)
      throw new UsageError(
        `Unexpected argument ${JSON.stringify(session)}. palimpsest database fleet top takes options only.`,
      );
    const how = {
      rows: countOf("--rows", values.rows) ?? DEFAULT_ROWS,
      everyMs: (amountOf("--every", values.every) ?? DEFAULT_EVERY_S) * 1_000,
      times: values.once === true ? ("once" as const) : ("until-stopped" as const),
      format: values.json === true ? ("json" as const) : ("text" as const),
    };
    return inDatabase(terminal, to, (pool) => show(openPostgresDispatch({ pool }), how, terminal));
  }
  const { tenant, all = false } = values;
  if (tenant === undefined || (session === undefined) !== all)
    throw new UsageError(
      "Name one session, or all of a tenant: palimpsest database fleet retry SESSION --tenant NAME, or --all.",
    );
  return inDatabase(terminal, to, (pool) => {
    const { schedule } = openPostgresDispatch({ pool, notify: "always" }).tenant(tenant);
    return retry(schedule, { tenant, session }, terminal);
  });
}

interface TopOptions {
  readonly rows: number;
  readonly everyMs: number;
  readonly times: "once" | "until-stopped";
  readonly format: "text" | "json";
}

async function show(
  dispatch: PostgresDispatch,
  { rows, everyMs, times, format }: TopOptions,
  { print, screen, columns, interruption }: Terminal,
): Promise<number> {
  const signal = times === "once" ? new AbortController().signal : interruption();
  for (;;) {
    const overview = await dispatch.overview({ limit: rows });
    const text = format === "json" ? JSON.stringify(overview) : fleetText(overview, columns);
    if (format === "text" && times === "until-stopped") screen?.stdout.write(CLEAR);
    await print(text);
    if (times === "once") return EXIT.done;
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return Number(signal.reason);
    if (format === "text" && screen === undefined) await print("");
  }
}

type Schedule = ReturnType<PostgresDispatch["tenant"]>["schedule"];

async function retry(
  schedule: Schedule,
  { tenant, session }: { readonly tenant: string; readonly session: string | undefined },
  { print, say }: Terminal,
): Promise<number> {
  const sessions = session === undefined ? await listAll(schedule) : [session];
  let resumed = 0;
  for (const one of sessions) if ((await schedule.resume(one)) === "resumed") resumed++;
  if (session !== undefined && resumed === 0) {
    say(
      `Session ${session} of tenant ${tenant} is not set aside. To see which are: palimpsest database fleet top --once`,
    );
    return EXIT.failed;
  }
  await print(
    session === undefined
      ? `${resumed.toLocaleString("en-US")} sessions of ${tenant} run again.`
      : `Session ${session} of ${tenant} runs again.`,
  );
  return EXIT.done;
}

async function listAll(schedule: Schedule): Promise<readonly string[]> {
  const names: string[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page: Awaited<ReturnType<Schedule["listSetAside"]>> = await schedule.listSetAside({ after });
    names.push(...page.sessions.map(({ session }) => session));
    after = page.next;
  }
  return names;
}

/** Describes the state of a fleet for a terminal. */
export function fleetText(overview: FleetOverview, columns: number): string {
  const { atMs } = overview;
  const since = (fromMs: number): string => duration(Math.max(0, atMs - fromMs));
  const parts = [
    `Fleet at ${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`,
    summary(overview, since),
    list("Workers", ["runs", "worker"], overview.workers, ({ runs, owner }) => [runs, owner]),
    list(
      "Running sessions, the quietest first",
      ["quiet for", "attempt", "tenant", "session", "worker"],
      overview.running,
      ({ activeAtMs, attempt, tenant, session, owner }) => [
        activeAtMs === undefined ? "-" : since(activeAtMs),
        attempt,
        tenant,
        session,
        owner ?? "not opened yet",
      ],
    ),
    list(
      "Waiting for a person, the oldest first",
      ["asked", "tenant", "session", "tool"],
      overview.waiting,
      ({ askedAtMs, tenant, session, tool }) => [since(askedAtMs), tenant, session, tool],
    ),
    list(
      "Set aside, the newest first",
      ["since", "attempts", "tenant", "session", "last failure"],
      overview.setAside,
      ({ setAsideAtMs, attempts, tenant, session, failure = "its worker was gone each time" }) => [
        since(setAsideAtMs),
        attempts,
        tenant,
        session,
        failure,
      ],
    ),
    ...(overview.setAside.length === 0
      ? []
      : ["To let one run again: palimpsest database fleet retry SESSION --tenant NAME"]),
  ];
  const lines = parts
    .filter((part) => part !== "")
    .join("\n\n")
    .split("\n");
  return lines.map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line)).join("\n");
}

function summary(overview: FleetOverview, since: (fromMs: number) => string): string {
  const { atMs, queue, inbox, questions, workers } = overview;
  const oldest = (fromMs: number | undefined): readonly string[] =>
    fromMs === undefined ? [] : [`the oldest for ${since(fromMs)}`];
  const of = (count: number, sessions: number): readonly string[] =>
    count === 0 ? [] : [`of ${plural(sessions, "session")}`];
  const next = queue.nextDueAtMs === undefined ? [] : [`the next in ${duration(queue.nextDueAtMs - atMs)}`];
  const rows: readonly (readonly [string, number, readonly string[]])[] = [
    ["running", queue.running, workers.length === 0 ? [] : [`on ${plural(workers.length, "worker")}`]],
    ["due, without a worker", queue.due, oldest(queue.oldestDueAtMs)],
    ["to run later", queue.later, next],
    [
      "waiting for a person",
      questions.open,
      [...of(questions.open, questions.sessions), ...oldest(questions.oldestAtMs)],
    ],
    ["set aside", queue.setAside, []],
    ["messages in inboxes", inbox.items, [...of(inbox.items, inbox.sessions), ...oldest(inbox.oldestAtMs)]],
  ];
  return table(rows.map(([what, count, more]) => [what, count, more.join(", ")]));
}

function list<Item>(
  title: string,
  names: readonly string[],
  items: readonly Item[],
  cells: (item: Item) => readonly (string | number)[],
): string {
  if (items.length === 0) return "";
  const rows = items.map((item) => cells(item).map((cell) => (typeof cell === "string" ? oneLine(cell, 200) : cell)));
  return `${title}\n${table([names, ...rows])}`;
}

import type { FleetOverview } from "@palimpsest/postgres";
import { duration, plural } from "../cli/notices/notice-words.ts";
import { oneLine, table } from "../text/table.ts";

/** The state of a fleet, for a terminal. */
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
    ...(overview.setAside.length === 0 ? [] : ["To let one run again: palimpsest fleet retry SESSION --tenant NAME"]),
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

import type { Schedule, SetAsideSession } from "./schedule.ts";

/** The page in these rows, one more than was asked for if there are more. */
export function toSetAsidePage(
  rows: readonly Readonly<Record<string, unknown>>[],
  limit: number,
): Awaited<ReturnType<Schedule["listSetAside"]>> {
  const sessions = rows.slice(0, limit).map(
    (row): SetAsideSession => ({
      session: String(row["session"]),
      attempts: Number(row["attempts"]),
      setAsideAtMs: Number(row["set_aside_at_ms"]),
      ...(row["failure"] === null ? {} : { failure: String(row["failure"]) }),
    }),
  );
  const last = sessions.at(-1);
  return rows.length > limit && last !== undefined ? { sessions, next: last.session } : { sessions };
}

import type { CoordinationFile } from "../coordination-file.ts";
import type { Listen } from "../rings.ts";
import { toEventPage } from "./event-batch.ts";
import { DEFAULT_EVENTS, type EventPage, type Events, type PublishOutcome, type ReadEventsOptions } from "./events.ts";
import { watchEvents } from "./watch-events.ts";

// From the beginning on, whatever the clock did: there are never holes.
const DELETE_OLD = `DELETE FROM event WHERE session = ? AND last_offset <
  coalesce((SELECT min(last_offset) FROM event WHERE session = ? AND at_ms >= ?), 9e18)`;

export interface SqliteEventsOptions {
  readonly file: CoordinationFile;
  readonly clock: { now(): number };
  readonly listen: Listen;
  ring(): void;
  readonly closed: AbortSignal;
}

export function createSqliteEvents({ file, clock, listen, ring, closed }: SqliteEventsOptions): Events {
  const read = (session: string, options: ReadEventsOptions): Promise<EventPage> =>
    file.read(({ statement }) => {
      const stream = statement("SELECT oldest_offset, newest_offset FROM event_stream WHERE session = ?").get(session);
      if (stream === undefined) return toEventPage(undefined, options);
      const { after = 0, limit = DEFAULT_EVENTS.readLimit } = options;
      const rows = statement(`SELECT first_offset, payload FROM event WHERE session = ? AND last_offset > ?
ORDER BY last_offset LIMIT ?`).all(session, after, limit);
      return toEventPage(
        {
          oldestOffset: Number(stream["oldest_offset"]),
          newestOffset: Number(stream["newest_offset"]),
          batches: rows.map((row) => ({ firstOffset: Number(row["first_offset"]), payload: String(row["payload"]) })),
        },
        options,
      );
    });

  return {
    async publish(session, events, { fence = null, batch = null } = {}) {
      const outcome = await file.write(({ statement }): PublishOutcome => {
        statement("INSERT INTO event_stream (session) VALUES (?) ON CONFLICT DO NOTHING").run(session);
        const stream = statement("SELECT newest_offset, fence, batch FROM event_stream WHERE session = ?").get(
          session,
        )!;
        const highest = Number(stream["fence"]);
        if (fence !== null && fence < highest) return { kind: "fenced", fence: highest };
        const before = Number(stream["newest_offset"]);
        const isKnown = batch !== null && stream["batch"] === batch;
        if (isKnown || events.length === 0) return { kind: "published", newestOffset: before };
        const newestOffset = before + events.length;
        statement(`UPDATE event_stream SET newest_offset = ?, fence = max(fence, coalesce(?, 0)), batch = coalesce(?, batch)
WHERE session = ?`).run(newestOffset, fence, batch, session);
        statement("INSERT INTO event (session, last_offset, first_offset, at_ms, payload) VALUES (?, ?, ?, ?, ?)").run(
          session,
          newestOffset,
          before + 1,
          clock.now(),
          JSON.stringify(events),
        );
        return { kind: "published", newestOffset };
      });
      ring();
      return outcome;
    },
    read: (session, options = {}) => read(session, options),
    watch: (session, options = {}) =>
      watchEvents(
        {
          read: (after) => read(session, after === undefined ? {} : { after }),
          listen,
          closed,
        },
        options,
      ),
    prune: ({ beforeMs, after = "", limit = DEFAULT_EVENTS.pruneLimit }) =>
      file.write(({ statement }) => {
        const rows = statement("SELECT session FROM event_stream WHERE session > ? ORDER BY session LIMIT ?").all(
          after,
          limit,
        );
        let pruned = 0;
        for (const { session } of rows as { session: string }[]) {
          pruned += Number(statement(DELETE_OLD).run(session, session, beforeMs).changes);
          statement(`UPDATE event_stream SET oldest_offset =
  coalesce((SELECT min(first_offset) FROM event WHERE event.session = event_stream.session), newest_offset + 1) WHERE session = ?`).run(
            session,
          );
        }
        const last = rows.at(-1);
        return rows.length < limit || last === undefined ? { pruned } : { pruned, next: String(last["session"]) };
      }),
  };
}

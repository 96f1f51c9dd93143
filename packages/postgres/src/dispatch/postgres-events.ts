import type { EventPage, Events } from "@palimpsest/coordination";
import { DEFAULT_EVENTS, toEventPage, watchEvents } from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import type { Database } from "../database.ts";
import { type Notifier, payloadOf } from "./notifier.ts";
import type { WatchedStreams } from "./watched-streams.ts";

export interface PostgresEventsOptions {
  readonly database: Database;
  readonly tenant: string;
  readonly streams: WatchedStreams;
  readonly notifier: Notifier;
  readonly closed: AbortSignal;
  nowMs(): number | null;
}

export function createPostgresEvents(options: PostgresEventsOptions): Events {
  const { database, tenant, streams, notifier, closed, nowMs } = options;
  const read: Events["read"] = async (session, reading = {}): Promise<EventPage> => {
    const { after = 0, limit = DEFAULT_EVENTS.readLimit } = reading;
    const rows = await database.call("read_events", [tenant, session, after, limit]);
    const [first] = rows;
    if (first === undefined) return toEventPage(undefined, reading);
    const batches = rows.flatMap(({ first_offset: firstOffset, payload }) =>
      payload === null ? [] : [{ firstOffset: Number(firstOffset), payload: String(payload) }],
    );
    const ends = { oldestOffset: Number(first["oldest_offset"]), newestOffset: Number(first["newest_offset"]) };
    return toEventPage({ ...ends, batches }, reading);
  };
  return {
    async publish(session, events, { fence = null, batch = null } = {}) {
      const values = [tenant, checkName("session", session), events.length, JSON.stringify(events), fence, batch];
      const [row] = await database.call("publish_events", [...values, nowMs()]);
      if (row?.["outcome"] === "fenced") return { kind: "fenced", fence: Number(row["fence"]) };
      notifier.ring("events", payloadOf(tenant, session));
      return { kind: "published", newestOffset: Number(row?.["newest_offset"]) };
    },
    read,
    watch: (session, watching = {}) =>
      watchEvents(
        {
          read: (after) => read(session, after === undefined ? {} : { after }),
          listen: streams.listen(tenant, session),
          closed,
        },
        watching,
      ),
    async prune({ beforeMs, after = "", limit = DEFAULT_EVENTS.pruneLimit }) {
      const rows = await database.call("prune_events", [tenant, beforeMs, after, limit]);
      const pruned = rows.reduce((sum, row) => sum + Number(row["pruned"]), 0);
      const last = rows.at(-1);
      return rows.length < limit || last === undefined ? { pruned } : { pruned, next: String(last["session"]) };
    },
  };
}

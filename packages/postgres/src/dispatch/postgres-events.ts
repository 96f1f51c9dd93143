import type { EventPage, Events } from "@palimpsest/coordination";
import { DEFAULT_EVENTS, toEventPage, watchEvents } from "@palimpsest/coordination/parts";
import { checkName } from "../check-name.ts";
import type { Database } from "../database.ts";
import { type TenantSeals, withReadable } from "../key-ring/tenant-seals.ts";
import { type Notifier, payloadOf } from "./notifier.ts";
import type { WatchedStreams } from "./watched-streams.ts";

export interface PostgresEventsOptions {
  readonly database: Database;
  readonly tenant: string;
  readonly seals: TenantSeals;
  readonly streams: WatchedStreams;
  readonly notifier: Notifier;
  readonly closed: AbortSignal;
  nowMs(): number | null;
}

export function createPostgresEvents(options: PostgresEventsOptions): Events {
  const { database, tenant, seals, streams, notifier, closed, nowMs } = options;
  const read: Events["read"] = async (session, reading = {}): Promise<EventPage> => {
    const { after = 0, limit = DEFAULT_EVENTS.readLimit } = reading;
    const rows = await database.call("read_events", [tenant, session, after, limit]);
    const [first] = rows;
    if (first === undefined) return toEventPage(undefined, reading);
    const kept = rows.filter(({ payload }) => payload !== null);
    const opened = kept.map(async ({ first_offset: firstOffset, payload: text }) => {
      const payload = await seals.openPayload(String(text), ["events", session]);
      return { firstOffset: Number(firstOffset), payload: payload ?? lostEvents(String(text)) };
    });
    const batches = await Promise.all(opened);
    const ends = { oldestOffset: Number(first["oldest_offset"]), newestOffset: Number(first["newest_offset"]) };
    return toEventPage({ ...ends, batches }, reading);
  };
  return {
    async publish(session, events, { fence = null, batch = null } = {}) {
      const sealed = await seals.sealPayload(JSON.stringify(events), ["events", checkName("session", session)]);
      const payload = withReadable(sealed, { count: events.length });
      const values = [tenant, session, events.length, payload, fence, batch];
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

/** Events whose key is lost keep their offsets, so that whoever watches comes past them. */
function lostEvents(kept: string): string {
  const { count } = JSON.parse(kept) as { readonly count: number };
  return JSON.stringify(Array.from({ length: count }, () => null));
}

import type { Listen } from "@palimpsest/coordination/parts";
import type { Database } from "../database.ts";
import { payloadOf } from "./notifier.ts";
import type { PostgresListener } from "./postgres-listener.ts";

export interface WatchedStreamsOptions {
  readonly database: Database;
  readonly pollMs: number;
  readonly listener: PostgresListener | undefined;
}

export interface WatchedStreams {
  /** Rings when a session may have new events. */
  listen(tenant: string, session: string): Listen;
}

interface Stream {
  readonly onRing: Set<() => void>;
  /** As of the last look. */
  newest?: string;
}

/** Looks for news of all sessions that this process watches, by one statement for each tenant: a thousand watchers cost one. */
export function createWatchedStreams({ database, pollMs, listener }: WatchedStreamsOptions): WatchedStreams {
  const tenants = new Map<string, Map<string, Stream>>();
  const byPayload = new Map<string, Stream>();
  let timer: NodeJS.Timeout | undefined;
  let heard: { stop(): void } | undefined;
  let state: "idle" | "looking" = "idle";
  const ring = ({ onRing }: Stream): void => {
    for (const each of [...onRing]) each();
  };

  async function look(tenant: string, streams: ReadonlyMap<string, Stream>): Promise<void> {
    try {
      const rows = await database.call("newest_events", [tenant, [...streams.keys()]]);
      for (const row of rows) {
        const stream = streams.get(String(row["session"]));
        const newest = String(row["newest_offset"]);
        if (stream === undefined || stream.newest === newest) continue;
        stream.newest = newest;
        ring(stream);
      }
    } catch {
      // The watchers read themselves, and are told why that fails.
      for (const stream of streams.values()) ring(stream);
    }
  }

  async function lookAtAll(): Promise<void> {
    if (state === "looking") return;
    state = "looking";
    for (const [tenant, streams] of [...tenants]) await look(tenant, streams);
    state = "idle";
  }

  function start(): void {
    timer ??= setInterval(() => void lookAtAll(), pollMs);
    heard ??= listener?.listen("events", (payload) => {
      const known = byPayload.get(payload);
      for (const stream of payload === "" ? byPayload.values() : known === undefined ? [] : [known]) ring(stream);
    });
  }

  function stop(): void {
    clearInterval(timer);
    heard?.stop();
    timer = undefined;
    heard = undefined;
  }

  return {
    listen: (tenant, session) => (onRing) => {
      const streams = tenants.get(tenant) ?? new Map<string, Stream>();
      const stream = streams.get(session) ?? { onRing: new Set() };
      tenants.set(tenant, streams.set(session, stream));
      byPayload.set(payloadOf(tenant, session), stream);
      stream.onRing.add(onRing);
      start();
      return {
        stop() {
          stream.onRing.delete(onRing);
          if (stream.onRing.size > 0) return;
          streams.delete(session);
          byPayload.delete(payloadOf(tenant, session));
          if (streams.size === 0) tenants.delete(tenant);
          if (tenants.size === 0) stop();
        },
      };
    },
  };
}

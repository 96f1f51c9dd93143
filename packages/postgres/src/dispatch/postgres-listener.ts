import { setTimeout as wait } from "node:timers/promises";

/** A connection of its own, straight to the server: a pooler would give it to others. `pg.Client` fits, once it is connected. */
export interface ListenConnection {
  query(text: string): Promise<unknown>;
  /** `notification`, with a channel and a payload; `error`; `end`. */
  on(event: "notification" | "error" | "end", listener: (...told: never[]) => void): unknown;
  end(): Promise<void>;
}

interface Notification {
  readonly channel: string;
  readonly payload?: string;
}

export const CHANNELS = { work: "palimpsest_work", events: "palimpsest_events" } as const;

export type Channel = keyof typeof CHANNELS;

export interface PostgresListener {
  /** @param onRing is told the payload; "" if anything may have happened */
  listen(channel: Channel, onRing: (payload: string) => void): { stop(): void };
  close(): Promise<void>;
}

const RECONNECT_AFTER_MS = 1_000;

/** Listens from the first listener on, and connects again when the connection is lost. Whoever listens polls as well. */
export function createListener(connect: () => Promise<ListenConnection>): PostgresListener {
  const listeners = new Map<Channel, Set<(payload: string) => void>>([
    ["work", new Set()],
    ["events", new Set()],
  ]);
  const closed = new AbortController();
  let running: Promise<void> | undefined;
  let connection: ListenConnection | undefined;
  const ring = (channel: Channel, payload: string): void => {
    for (const onRing of [...listeners.get(channel)!]) onRing(payload);
  };

  async function hear(): Promise<void> {
    const opened = await connect();
    const lost = Promise.withResolvers<void>();
    // More than one comes when a connection breaks, and an error that nobody hears ends the process.
    opened.on("error", () => lost.resolve());
    opened.on("end", () => lost.resolve());
    opened.on("notification", ({ channel, payload = "" }: Notification) => {
      for (const [name, text] of Object.entries(CHANNELS)) if (text === channel) ring(name as Channel, payload);
    });
    connection = opened;
    try {
      for (const channel of Object.values(CHANNELS)) await opened.query(`LISTEN ${channel}`);
      // Nobody knows what was missed before.
      for (const channel of listeners.keys()) ring(channel, "");
      if (!closed.signal.aborted) await lost.promise;
    } finally {
      connection = undefined;
      await opened.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    while (!closed.signal.aborted) {
      await hear().catch(() => undefined);
      if (!closed.signal.aborted)
        await wait(RECONNECT_AFTER_MS, undefined, { ref: false, signal: closed.signal }).catch(() => undefined);
    }
  }

  return {
    listen(channel, onRing) {
      listeners.get(channel)!.add(onRing);
      running ??= run();
      return { stop: () => void listeners.get(channel)!.delete(onRing) };
    },
    async close() {
      closed.abort();
      await connection?.end().catch(() => undefined);
      await running;
    },
  };
}

import { createHash } from "node:crypto";
import type { Database } from "../database.ts";
import { CHANNELS, type Channel } from "./postgres-listener.ts";

/** Tells those that listen that there may be something new. */
export interface Notifier {
  /** Call it after the commit. @param payload what it is about; "" if that does not matter */
  ring(channel: Channel, payload?: string): void;
}

/** So many times a second at most, however much happens here: PostgreSQL commits transactions that notify one after another. */
const EVERY_MS = 10;

export const SILENT: Notifier = { ring: () => {} };

/** Rings at once, and then together what comes within the next moment. */
export function createNotifier(database: Database): Notifier {
  const waiting = new Map<string, readonly [channel: string, payload: string]>();
  let state: "idle" | "sending" = "idle";

  async function send(): Promise<void> {
    state = "sending";
    const rung = [...waiting.values()];
    waiting.clear();
    const values = [rung.map(([channel]) => channel), rung.map(([, payload]) => payload)];
    // Whoever listens polls as well.
    await database.call("ring", values).catch(() => undefined);
    setTimeout(() => {
      state = "idle";
      if (waiting.size > 0) void send();
    }, EVERY_MS).unref();
  }

  return {
    ring(channel, payload = "") {
      waiting.set(`${channel} ${payload}`, [CHANNELS[channel], payload]);
      if (state === "idle") void send();
    },
  };
}

/** Names a session to those that know it, and to nobody else: everybody who may connect may listen. */
export function payloadOf(tenant: string, session: string): string {
  return createHash("sha256").update(`${tenant} ${session}`).digest("hex").slice(0, 32);
}

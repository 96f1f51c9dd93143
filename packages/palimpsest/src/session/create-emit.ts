import type { Emit, SessionEvent } from "../session-event.ts";

export type Listener = (event: SessionEvent) => void;

export interface EmitOptions {
  readonly session: string;
  readonly clock: { now(): number };
  readonly listeners: Iterable<Listener>;
}

/** Tells listeners what happens in a session. What one of them throws, at once or in a promise, is its own. */
export function createEmit({ session, clock, listeners }: EmitOptions): Emit {
  return (newEvent) => {
    const event = { ...newEvent, session, atMs: clock.now() };
    for (const listener of listeners) {
      try {
        const returned: unknown = listener(event);
        // An async function is a listener, too, and its rejection would end the process.
        if (returned !== undefined) Promise.resolve(returned).catch(() => undefined);
      } catch {
        // A listener is no part of the session.
      }
    }
  };
}

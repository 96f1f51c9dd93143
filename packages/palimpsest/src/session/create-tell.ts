import type { SessionEvent, Tell } from "../session-event.ts";

export interface TellOptions {
  readonly session: string;
  readonly clock: { now(): number };
  readonly onEvent?: (event: SessionEvent) => void;
}

/** Tells a listener what happens in a session. What it throws, at once or in a promise, is its own. */
export function createTell({ session, clock, onEvent }: TellOptions): Tell {
  return (happening) => {
    try {
      const returned: unknown = onEvent?.({ ...happening, session, atMs: clock.now() });
      // An async function is a listener, too, and its rejection would end the process.
      if (returned !== undefined) Promise.resolve(returned).catch(() => undefined);
    } catch {
      // A listener is no part of the session.
    }
  };
}

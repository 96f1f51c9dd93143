import { randomUUID } from "node:crypto";
import type { QueryEvent, Session } from "palimpsest";
import type { Events } from "./events.ts";
import { joinEvents } from "./join-events.ts";

/** How often events are published, and who receives errors. */
export interface PublishEventsOptions {
  /** The number of the run: a worker that was replaced publishes nothing more. @default everybody may publish */
  readonly fence?: number;
  /** How long events are collected, to be published together. @default 50 */
  readonly everyMs?: number;
  /** Receives the errors of publishing. The events are kept and published a second later. @default none */
  readonly onError?: (error: unknown) => void;
}

/** Publishes the events of a session and of its turns. */
export interface Publishing {
  /** Adds an event of a turn. Parts of one text that follow each other become one event. */
  add(event: QueryEvent): void;
  /** Publishes all events so far: before a run is finished, so that its end is seen. `fenced`: another worker has replaced this one. */
  flush(): Promise<"published" | "fenced">;
  /** Listens no more, and publishes what is left. */
  stop(): Promise<"published" | "fenced">;
}

/** Read by watchers in one go. */
const MAX_BATCH_EVENTS = 256;
/** Some minutes of a stream, for a database that is away. */
const MAX_WAITING_EVENTS = 10_000;
const RETRY_AFTER_MS = 1_000;

/**
 * Publishes what happens in a session: its own events from now on, and those of turns that are added. All have the form of `QueryEvent`. A
 * batch that may have arrived is sent again under the same name, so that watchers see it once.
 */
export function publishEvents(
  session: Pick<Session, "id" | "events">,
  events: Pick<Events, "publish">,
  { fence, everyMs = 50, onError }: PublishEventsOptions = {},
): Publishing {
  const waiting: unknown[] = [];
  let sending: { readonly batch: string; readonly events: readonly unknown[] } | undefined;
  let state: "published" | "fenced" = "published";
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  async function sendAll(): Promise<"published" | "fenced"> {
    while (state !== "fenced" && (sending !== undefined || waiting.length > 0)) {
      sending ??= { batch: randomUUID(), events: waiting.splice(0, MAX_BATCH_EVENTS) };
      const right = fence === undefined ? {} : { fence };
      const { kind } = await events.publish(session.id, sending.events, { batch: sending.batch, ...right });
      sending = undefined;
      state = kind;
    }
    return state;
  }

  const flush = (): Promise<"published" | "fenced"> => {
    clearTimeout(timer);
    timer = undefined;
    const sent = last.then(sendAll);
    last = sent.catch(() => undefined);
    return sent;
  };

  const schedule = (afterMs: number): void => {
    timer ??= setTimeout(async () => {
      try {
        await flush();
      } catch (error) {
        onError?.(error);
        schedule(RETRY_AFTER_MS);
      }
    }, afterMs);
  };

  const add = (event: QueryEvent): void => {
    if (state === "fenced") return;
    joinEvents(waiting, event, MAX_WAITING_EVENTS);
    schedule(everyMs);
  };

  const unlisten = session.events.listen((event) => add({ kind: "session-event", event }));
  return {
    add(event) {
      // The session has told it already.
      if (event.kind !== "session-event") add(event);
    },
    flush,
    stop() {
      unlisten();
      return flush();
    },
  };
}

import { expect, test } from "vitest";
import type { EventPage } from "./events.ts";
import { watchEvents } from "./watch-events.ts";

test("an event that comes while the watcher reads is seen, though nothing rings after that", async () => {
  let ring = (): void => {};
  let stopped = 0;
  const pages: EventPage[] = [{ kind: "read", events: [], newestOffset: 0 }];
  const watched = watchEvents(
    {
      async read(after) {
        const page = pages.shift();
        if (page !== undefined) {
          // Published behind the back of a read that has found nothing.
          ring();
          return page;
        }
        expect(after).toBe(0);
        return { kind: "read", events: [{ kind: "event", offset: 1, event: "a" }], newestOffset: 1 };
      },
      listen(onRing) {
        ring = onRing;
        return { stop: () => stopped++ };
      },
      closed: new AbortController().signal,
    },
    { after: 0 },
  );
  expect(await watched.next()).toEqual({ done: false, value: { kind: "event", offset: 1, event: "a" } });
  await watched.return(undefined);
  expect(stopped).toBe(1);
});

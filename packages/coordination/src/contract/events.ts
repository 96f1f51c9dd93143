import assert from "node:assert/strict";
import type { Events, TooOld, WatchedEvent } from "../events/events.ts";
import type { DispatchCheck } from "./dispatch-case.ts";

async function offsets(events: Events, after?: number, limit?: number): Promise<readonly number[]> {
  const page = await events.read("s", {
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit }),
  });
  assert.ok(page.kind === "read", `it is ${page.kind}`);
  return page.events.map(({ offset }) => offset);
}

/** Reads so many events of a watched session. */
async function next(
  watched: AsyncIterator<WatchedEvent | TooOld>,
  count: number,
): Promise<readonly (WatchedEvent | TooOld)[]> {
  const seen: (WatchedEvent | TooOld)[] = [];
  while (seen.length < count) {
    const { value, done } = await watched.next();
    assert.ok(done !== true, `it ended after ${seen.length} events`);
    seen.push(value);
  }
  return seen;
}

/** Tests that a watcher sees every event once and in order, wherever it is published, or is told that it cannot. */
export function testEvents(check: DispatchCheck): void {
  check("events are read in order after an offset, whatever the batches they came in", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    assert.deepEqual(await one.events.read("s"), { kind: "read", events: [], newestOffset: 0 });
    assert.deepEqual(await one.events.publish("s", ["a", { b: "ü\u2028" }, null]), {
      kind: "published",
      newestOffset: 3,
    });
    assert.deepEqual(await two.events.publish("s", []), { kind: "published", newestOffset: 3 });
    assert.deepEqual(await two.events.publish("s", [["d"]]), { kind: "published", newestOffset: 4 });
    const page = await one.events.read("s");
    assert.ok(page.kind === "read");
    assert.deepEqual(
      page.events.map(({ offset, event }) => [offset, event]),
      [
        [1, "a"],
        [2, { b: "ü\u2028" }],
        [3, null],
        [4, ["d"]],
      ],
    );
    assert.deepEqual(await offsets(one.events, 0), [1, 2, 3, 4]);
    assert.deepEqual(await offsets(one.events, 1, 2), [2, 3]);
    assert.deepEqual(await offsets(one.events, 3), [4]);
    assert.deepEqual(await offsets(one.events, 4), []);
    assert.deepEqual(await two.events.read("t"), { kind: "read", events: [], newestOffset: 0 });
  });

  check("a publisher that was replaced is refused, and a batch that is sent again is there once", async (place) => {
    const { events } = await place.open();
    await events.publish("s", ["a"], { fence: 7, batch: "x" });
    assert.deepEqual(await events.publish("s", ["a"], { fence: 7, batch: "x" }), {
      kind: "published",
      newestOffset: 1,
    });
    await events.publish("s", ["b"], { fence: 9, batch: "y" });
    await events.publish("s", ["between"]);
    assert.deepEqual(await events.publish("s", ["b"], { fence: 9, batch: "y" }), {
      kind: "published",
      newestOffset: 3,
    });
    assert.deepEqual(await events.publish("s", ["late"], { fence: 7, batch: "z" }), { kind: "fenced", fence: 9 });
    // Without a fence: somebody who is no run.
    assert.deepEqual(await events.publish("s", ["c"]), { kind: "published", newestOffset: 4 });
    assert.deepEqual(await events.publish("s", ["late"], { fence: 8 }), { kind: "fenced", fence: 9 });
    assert.deepEqual(await offsets(events), [1, 2, 3, 4]);
  });

  check("a reader sees no hole while many publish, and everything in the end", async (place) => {
    const all = await Promise.all(Array.from({ length: 4 }, () => place.open()));
    let publishers = all.length;
    const publishing = Promise.all(
      all.map(async ({ events }, publisher) => {
        for (let batch = 0; batch < 15; batch++)
          await events.publish(
            "s",
            Array.from({ length: 1 + (batch % 3) }, (_, index) => ({ publisher, batch, index })),
          );
        publishers--;
      }),
    );
    const seen: WatchedEvent[] = [];
    for (let isLast = false; !isLast; ) {
      isLast = publishers === 0;
      const page = await all[0]!.events.read("s", { after: seen.length, limit: 7 });
      assert.ok(page.kind === "read");
      for (const event of page.events) {
        assert.equal(event.offset, seen.length + 1);
        seen.push(event);
      }
      if (page.events.length > 0) isLast = false;
    }
    await publishing;
    assert.equal(seen.length, 4 * 30);
    for (const publisher of [0, 1, 2, 3]) {
      const own = seen
        .map(({ event }) => event as Record<string, number>)
        .filter((event) => event["publisher"] === publisher);
      const order = own.map(({ batch, index }) => batch! * 10 + index!);
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
      );
    }
  });

  check(
    "a watcher sees what is there and what comes, from any process, and continues after an offset",
    async (place) => {
      const [publisher, watcher] = [await place.open(), await place.open()];
      await publisher.events.publish("s", ["a", "b"]);
      const ended = new AbortController();
      const watched = watcher.events.watch("s", { signal: ended.signal })[Symbol.asyncIterator]();
      const other = watcher.events.watch("s", { after: 3, signal: ended.signal })[Symbol.asyncIterator]();
      const none = watcher.events.watch("t", { signal: ended.signal })[Symbol.asyncIterator]();
      const nothing = none.next();
      // An offset that there never was here: the session was deleted and begun anew, for all that one knows.
      assert.deepEqual(await next(other, 1), [{ kind: "too-old", oldestOffset: 1, newestOffset: 2 }]);
      const coming = next(watched, 5);
      for (const event of ["c", "d", "e"]) await publisher.events.publish("s", [event]);
      assert.deepEqual(
        (await coming).map((each) => (each.kind === "event" ? [each.offset, each.event] : each)),
        [
          [1, "a"],
          [2, "b"],
          [3, "c"],
          [4, "d"],
          [5, "e"],
        ],
      );
      await publisher.events.publish("t", ["first"]);
      assert.deepEqual(await nothing, { done: false, value: { kind: "event", offset: 1, event: "first" } });
      const pending = watched.next();
      ended.abort();
      assert.equal((await pending).done, true);
      const rest = watcher.events.watch("s", { after: 4 })[Symbol.asyncIterator]();
      assert.deepEqual(await next(rest, 1), [{ kind: "event", offset: 5, event: "e" }]);
      await rest.return?.();
    },
  );

  check("old events are pruned, and a reader that needs them is told the oldest there is", async (place) => {
    const { events } = await place.open();
    await events.publish("s", ["a", "b", "c"]);
    await events.publish("t", ["a"]);
    place.advanceClock(1_000);
    await events.publish("s", ["d", "e"]);
    assert.deepEqual(await events.prune({ beforeMs: place.nowMs(), limit: 1 }), { pruned: 1, next: "s" });
    assert.deepEqual(await events.prune({ beforeMs: place.nowMs(), after: "s" }), { pruned: 1 });
    const tooOld = { kind: "too-old", oldestOffset: 4, newestOffset: 5 };
    assert.deepEqual(await events.read("s", { after: 0 }), tooOld);
    assert.deepEqual(await events.read("s", { after: 2 }), tooOld);
    assert.deepEqual(await offsets(events, 3), [4, 5]);
    assert.deepEqual(await offsets(events), [4, 5]);
    const watched = events.watch("s", { after: 1 })[Symbol.asyncIterator]();
    assert.deepEqual(await next(watched, 2), [tooOld, { kind: "event", offset: 4, event: "d" }]);
    await watched.return?.();
    place.advanceClock(1_000);
    await events.prune({ beforeMs: place.nowMs() });
    assert.deepEqual(await events.read("s", { after: 4 }), { kind: "too-old", oldestOffset: 6, newestOffset: 5 });
    assert.deepEqual(await events.read("s", { after: 5 }), { kind: "read", events: [], newestOffset: 5 });
    // Offsets are never used again.
    assert.deepEqual(await events.publish("s", ["f"]), { kind: "published", newestOffset: 6 });
    assert.deepEqual(await offsets(events, 5), [6]);
  });
}

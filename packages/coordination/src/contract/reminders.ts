import assert from "node:assert/strict";
import { type DispatchCheck, names, takeOne } from "./dispatch-case.ts";

const HOUR_MS = 3_600_000;

/** Tests that a reminder wakes its session at its time and is given to runs until one is finished, unless it is stale. */
export function testReminders(check: DispatchCheck): void {
  check(
    "a reminder wakes its session at its time, with its reason; a later one of the same key replaces it",
    async (place) => {
      const { schedule, ...worker } = await place.open();
      const dueAtMs = place.nowMs() + HOUR_MS;
      await schedule.remind("s", { key: "warm", dueAtMs: dueAtMs - 1_000, reason: "replaced" });
      await schedule.remind("s", { key: "warm", dueAtMs, reason: "keep the cache warm" });
      await schedule.remind("s", { key: "dream", dueAtMs: dueAtMs + HOUR_MS, reason: "dream" });
      await schedule.remind("s", { key: "never", dueAtMs, reason: "canceled" });
      assert.equal(await schedule.cancelReminder("s", "never"), "canceled");
      assert.equal(await schedule.cancelReminder("s", "never"), "absent");
      place.advanceClock(HOUR_MS - 1);
      assert.deepEqual(names(await worker.queue.take()), []);
      place.advanceClock(1);
      const run = await takeOne(worker);
      assert.deepEqual(run.reminders, [{ key: "warm", dueAtMs, reason: "keep the cache warm" }]);
      assert.equal(await run.finish(), "finished");
      place.advanceClock(HOUR_MS);
      const later = await takeOne(worker);
      assert.deepEqual(
        later.reminders.map(({ key }) => key),
        ["dream"],
      );
      assert.equal(await later.finish(), "finished");
      place.advanceClock(HOUR_MS);
      assert.deepEqual(names(await worker.queue.take()), []);
    },
  );

  check(
    "a reminder comes again until a run is finished, also one that is due or set anew during a run",
    async (place) => {
      const { schedule, ...worker } = await place.open();
      const remind = (key: string, dueAtMs: number) => schedule.remind("s", { key, dueAtMs, reason: key });
      await remind("first", place.nowMs());
      await takeOne(worker);
      place.advanceClock(place.silentAfterMs);
      const again = await takeOne(worker);
      assert.deepEqual([again.attempt, again.reminders.map(({ key }) => key)], [2, ["first"]]);
      await remind("first", place.nowMs() + HOUR_MS);
      await remind("second", place.nowMs());
      // Looked for, so that it is found to be due while the run is under way.
      assert.deepEqual(names(await worker.queue.take()), []);
      assert.equal(await again.finish(), "woken");
      const second = await takeOne(worker);
      assert.deepEqual(
        second.reminders.map(({ key }) => key),
        ["second"],
      );
      assert.equal(await second.finish(), "finished");
      place.advanceClock(HOUR_MS);
      assert.deepEqual(
        (await takeOne(worker)).reminders.map(({ key }) => key),
        ["first"],
      );
    },
  );

  check(
    "a reminder is stale if the session's log went on, unless a run that was given it wrote that",
    async (place) => {
      const { schedule, ...worker } = await place.open();
      const remind = (session: string, key: string, unlessPastEntry: number) =>
        schedule.remind(session, { key, dueAtMs: place.nowMs(), reason: key, unlessPastEntry });
      await place.growLog("ahead", 4);
      await place.growLog("stayed", 3);
      await remind("ahead", "stale", 3);
      await remind("stayed", "fresh", 3);
      const run = await takeOne(worker);
      assert.deepEqual([run.session, run.reminders.map(({ key }) => key)], ["stayed", ["fresh"]]);
      assert.deepEqual(names(await worker.queue.take()), []);
      await place.growLog("stayed", 5);
      place.advanceClock(place.silentAfterMs);
      const again = await takeOne(worker);
      assert.deepEqual([again.session, again.reminders.map(({ key }) => key)], ["stayed", ["fresh"]]);
      assert.equal(await again.finish(), "finished");
      // A wake counts, whatever became of reminders.
      await remind("ahead", "stale", 3);
      await schedule.wake("ahead");
      const woken = await takeOne(worker);
      assert.deepEqual([woken.session, woken.reminders], ["ahead", []]);
      assert.equal(await woken.finish(), "finished");
    },
  );
}

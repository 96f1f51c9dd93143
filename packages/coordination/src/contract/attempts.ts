import assert from "node:assert/strict";
import { type DispatchCheck, takeOne } from "./dispatch-case.ts";

/** Tests which runs count as attempts, and that a session that ends too many workers is set aside. */
export function testAttempts(check: DispatchCheck): void {
  check(
    "a session that always ends its worker is set aside, told, and runs again when it is resumed",
    async (place) => {
      const { schedule, queue } = await place.open();
      await schedule.wake("poison");
      await schedule.wake("sound");
      for (let attempt = 1; attempt <= place.maxAttempts; attempt++) {
        const { runs, setAside } = await queue.take();
        const found = runs.find(({ session }) => session === "poison")!;
        assert.deepEqual([found.attempt, setAside, await found.renew()], [attempt, [], "held"]);
        await runs.find(({ session }) => session === "sound")?.finish();
        if (attempt === 1) await found.fail({ why: "out of memory", retryAfterMs: 0 });
        place.advanceClock(place.silentAfterMs);
      }
      const told = await queue.take();
      assert.deepEqual(told.runs, []);
      assert.deepEqual(
        told.setAside.map(({ session }) => session),
        ["poison"],
      );
      assert.deepEqual(await queue.take(), { runs: [], setAside: [] });
      assert.equal(await schedule.wake("poison"), "set-aside");
      assert.deepEqual(await queue.take(), { runs: [], setAside: [] });
      const [found] = (await schedule.listSetAside()).sessions;
      const expected = { session: "poison", attempts: place.maxAttempts, setAsideAtMs: place.nowMs() };
      assert.deepEqual(found, { ...expected, failure: "out of memory" });
      assert.deepEqual([await schedule.resume("poison"), await schedule.resume("poison")], ["resumed", "absent"]);
      assert.deepEqual((await schedule.listSetAside()).sessions, []);
      const run = await takeOne({ queue });
      assert.deepEqual([run.session, run.attempt], ["poison", 1]);
      assert.equal(await run.finish(), "finished");
    },
  );

  check(
    "from the third on an attempt counts when its run is renewed: a worker that ends before it lets a session in is no attempt",
    async (place) => {
      const { schedule, queue } = await place.open();
      await schedule.wake("s");
      const tenant = (await takeOne({ queue })).tenant;
      const attempts: number[] = [];
      const takings = [() => queue.take(), () => queue.takeOver({ tenant, session: "s" }, { from: 0 })];
      for (const take of [...takings, ...takings, ...takings]) {
        place.advanceClock(place.silentAfterMs);
        attempts.push((await take()).runs[0]!.attempt);
      }
      assert.deepEqual(attempts, [2, 3, 3, 3, 3, 3]);
      place.advanceClock(place.silentAfterMs);
      const released = await takeOne({ queue });
      await released.renew();
      await released.release();
      const last = await takeOne({ queue });
      assert.deepEqual([released.attempt, last.attempt], [3, 3]);
      assert.equal(await last.finish(), "finished");
    },
  );

  check("sessions that were set aside are listed in pages", async (place) => {
    const { schedule, queue } = await place.open();
    for (const session of ["a", "b", "c"]) await schedule.wake(session);
    for (let attempt = 0; attempt <= place.maxAttempts; attempt++) {
      const { runs } = await queue.take();
      for (const run of runs) await run.renew();
      place.advanceClock(place.silentAfterMs);
    }
    const first = await schedule.listSetAside({ limit: 2 });
    assert.deepEqual(
      first.sessions.map(({ session }) => session),
      ["a", "b"],
    );
    const second = await schedule.listSetAside({ limit: 2, after: first.next! });
    assert.deepEqual([second.sessions.map(({ session }) => session), second.next], [["c"], undefined]);
  });
}

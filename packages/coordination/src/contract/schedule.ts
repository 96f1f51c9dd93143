import assert from "node:assert/strict";
import type { DispatchWithQueue } from "../dispatch.ts";
import type { Run } from "../schedule/run-queue.ts";
import { type DispatchCheck, names, takeOne } from "./dispatch-case.ts";

const HOUR_MS = 3_600_000;

/** Tests that a session that was woken runs, by one worker at a time, until a run has come to its end. */
export function testSchedule(check: DispatchCheck): void {
  check("a session that was woken is taken once, and rests when its run is finished", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    assert.deepEqual(names(await one.queue.take()), []);
    assert.equal(await one.schedule.wake("s"), "woken");
    assert.equal(await two.schedule.wake("s"), "woken");
    const run = await takeOne(two);
    assert.deepEqual([run.session, run.attempt, run.reminders], ["s", 1, []]);
    assert.deepEqual(names(await one.queue.take()), []);
    assert.equal(await run.finish(), "finished");
    assert.equal(await run.finish(), "lost");
    place.advanceClock(HOUR_MS);
    assert.deepEqual(names(await one.queue.take()), []);
  });

  check(
    "of many workers that take at once each session has one, and run numbers are never given twice",
    async (place) => {
      const all = await Promise.all(Array.from({ length: 6 }, () => place.open()));
      const sessions = Array.from({ length: 30 }, (_, index) => `s${String(index).padStart(2, "0")}`);
      await Promise.all(sessions.map((session) => all[0]!.schedule.wake(session)));
      const numbers = new Set<number>();
      let highest = 0;
      for (let round = 1; round <= 3; round++) {
        const taken: string[] = [];
        while (taken.length < sessions.length) {
          const found = await Promise.all(all.map(({ queue }) => queue.take({ limit: 7 })));
          for (const run of found.flatMap(({ runs }) => runs)) {
            taken.push(run.session);
            assert.ok(run.number > 0 && !numbers.has(run.number));
            numbers.add(run.number);
          }
        }
        assert.deepEqual(taken.sort(), sessions);
        const least = Math.min(...[...numbers].filter((number) => number > highest));
        assert.equal([...numbers].filter((number) => number >= least).length, sessions.length);
        highest = Math.max(...numbers);
        place.advanceClock(place.silentAfterMs);
      }
    },
  );

  check("a wake during a run lets the session run again", async (place) => {
    const { schedule, ...worker } = await place.open();
    await schedule.wake("s");
    const first = await takeOne(worker);
    await schedule.wake("s");
    assert.deepEqual(names(await worker.queue.take()), []);
    assert.equal(await first.finish(), "woken");
    const second = await takeOne(worker);
    assert.ok(second.number > first.number);
    assert.equal(second.attempt, 1);
    assert.equal(await second.finish(), "finished");
  });

  check(
    "a run that is renewed is kept; a silent one is given to another, and lost to its worker for good",
    async (place) => {
      const [one, two] = [await place.open(), await place.open()];
      await one.schedule.wake("s");
      const late = await takeOne(one);
      for (let renewal = 0; renewal < 3; renewal++) {
        place.advanceClock(place.silentAfterMs - 1);
        assert.deepEqual(names(await two.queue.take()), []);
        assert.equal(await late.renew(), "held");
      }
      place.advanceClock(place.silentAfterMs);
      const next = await takeOne(two);
      assert.equal(next.attempt, 2);
      assert.deepEqual([await late.renew(), await late.finish(), await late.release()], ["lost", "lost", "lost"]);
      assert.equal(await late.fail({ why: "x", retryAfterMs: 0 }), "lost");
      assert.equal(await next.renew(), "held");
      assert.equal(await next.finish(), "finished");
    },
  );

  check("a failed run comes again after its time; one that is released at once, and does not count", async (place) => {
    const worker = await place.open();
    await worker.schedule.wake("s");
    const first = await takeOne(worker);
    assert.equal(await first.fail({ why: "no answer", retryAfterMs: 5_000 }), "waiting");
    place.advanceClock(4_999);
    assert.deepEqual(names(await worker.queue.take()), []);
    place.advanceClock(1);
    const second = await takeOne(worker);
    assert.equal(second.attempt, 2);
    assert.equal(await second.release(), "waiting");
    const third = await takeOne(worker);
    assert.equal(third.attempt, 2);
    assert.equal(await third.release({ afterMs: 5_000 }), "waiting");
    place.advanceClock(4_999);
    assert.deepEqual(names(await worker.queue.take()), []);
    place.advanceClock(1);
    const fourth = await takeOne(worker);
    assert.equal(fourth.attempt, 2);
    await fourth.release({ afterMs: 5_000 });
    await worker.schedule.wake("s");
    assert.equal(await (await takeOne(worker)).finish(), "finished");
  });

  check("a wake ends the wait of a released run, also a wake that came before the release", async (place) => {
    const worker = await place.open();
    await worker.schedule.wake("s");
    const first = await takeOne(worker);
    await worker.schedule.wake("s");
    assert.equal(await first.release({ afterMs: 5_000 }), "waiting");
    const second = await takeOne(worker);
    // That wake has been seen by now.
    await second.release({ afterMs: 5_000 });
    assert.deepEqual(names(await worker.queue.take()), []);
    await worker.schedule.wake("s");
    const third = await takeOne(worker);
    await worker.schedule.wake("s");
    // Failures wait for their time.
    await third.fail({ why: "no answer", retryAfterMs: 5_000 });
    assert.deepEqual(names(await worker.queue.take()), []);
  });

  check(
    "an engine that decides who runs takes a session over from a run that is over, until it is set aside",
    async (place) => {
      const { schedule, queue } = await place.open();
      const nobody = { runs: [], setAside: [] };

      await schedule.wake("s");
      const [sent] = (await queue.take({ to: "send" })).runs;
      assert.ok(sent !== undefined && sent.attempt === 0);
      // Whoever sends it again has not run it either.
      place.advanceClock(place.silentAfterMs);
      const [again] = (await queue.take({ to: "send" })).runs;
      assert.deepEqual([again?.attempt, await sent.renew(), await again?.renew()], [0, "lost", "held"]);
      const name = { tenant: sent.tenant, session: "s" };
      const takeOver = (run: Run | undefined) => queue.takeOver(name, { from: run?.number ?? 0 });
      let held = again!;
      for (let attempt = 1; attempt <= place.maxAttempts; attempt++) {
        // What was sent before is not to run beside it.
        assert.deepEqual(await takeOver(sent), nobody);
        const { runs, setAside } = await takeOver(again);
        assert.deepEqual([runs.length, runs[0]?.attempt, setAside], [1, attempt, []]);
        assert.ok(runs[0]!.number > held.number);
        assert.equal(await runs[0]!.renew(), "held");
        assert.equal(await held.finish(), "lost");
        held = runs[0]!;
      }
      assert.deepEqual(await takeOver(again), { runs: [], setAside: [name] });
      assert.deepEqual(await takeOver(again), nobody);
      assert.deepEqual([await held.renew(), await schedule.wake("s")], ["lost", "set-aside"]);

      await schedule.resume("s");
      const [resumed] = (await takeOver(sent)).runs;
      assert.equal(resumed!.attempt, 1);
      await schedule.remind("s", { key: "k", dueAtMs: place.nowMs() + 1, reason: "r" });
      await resumed!.fail({ why: "no answer", retryAfterMs: 5_000 });
      assert.deepEqual(await takeOver(sent), nobody);
      place.advanceClock(5_000);
      assert.deepEqual(names(await queue.take()), ["s"]);
      assert.deepEqual(await takeOver(sent), nobody);
      place.advanceClock(place.silentAfterMs);
      const [last] = (await takeOver(sent)).runs;
      assert.deepEqual(
        last!.reminders.map(({ key }) => key),
        ["k"],
      );
      assert.equal(await last!.finish(), "finished");
      assert.deepEqual(await takeOver(sent), nobody);
    },
  );

  check("who waits for work is told when there is some, and when the wait is ended", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const found = (async () => {
      for (;;) {
        const { runs } = await two.queue.take();
        if (runs.length > 0) return runs;
        await two.queue.wait();
      }
    })();
    await one.schedule.wake("s");
    const [run] = await found;
    assert.equal(await run!.finish(), "finished");
    const ended = new AbortController();
    await two.queue.take();
    const waiting = two.queue.wait({ signal: ended.signal });
    ended.abort();
    await waiting;
  });

  check(
    "whoever wakes, reminds, answers, takes and finishes at once, no wake is lost and no session runs twice",
    async (place) => {
      const all = await Promise.all(Array.from({ length: 4 }, () => place.open()));
      const sessions = ["a", "b", "c"];
      const running = new Set<string>();
      // For each session, how many things had happened when it was last woken, and when its last run had begun.
      const wokenAt = new Map<string, number>();
      const begunAt = new Map<string, number>();
      let clock = 0;
      const work = async (worker: DispatchWithQueue): Promise<number> => {
        const { runs } = await worker.queue.take({ limit: 2 });
        clock++;
        for (const { session } of runs) {
          assert.ok(!running.has(session), `${session} runs twice`);
          running.add(session);
          begunAt.set(session, clock);
        }
        for (const [index, run] of runs.entries()) {
          running.delete(run.session);
          assert.notEqual(await (index === 1 ? run.release() : run.finish()), "lost");
        }
        return runs.length;
      };
      await Promise.all(
        all.map(async (worker, index) => {
          for (let round = 0; round < 12; round++) {
            const session = sessions[(round + index) % sessions.length]!;
            const callId = `c${index} ${round}`;
            clock++;
            if (round % 4 !== 3) wokenAt.set(session, clock);
            if (round % 4 === 0) await worker.schedule.wake(session);
            if (round % 4 === 1)
              await worker.schedule.remind(session, { key: `k${index % 2}`, dueAtMs: place.nowMs(), reason: "r" });
            if (round % 4 === 2) {
              await worker.approvals.ask({
                sessionId: session,
                callId,
                tool: "t",
                input: 1,
                expiresAtMs: place.nowMs() + 1,
              });
              await worker.approvals.answer(session, callId, { decision: "allow", by: `${index}` });
            }
            await work(worker);
          }
        }),
      );
      for (let idle = 0; idle < 2; ) idle = (await work(all[0]!)) === 0 ? idle + 1 : 0;
      for (const session of sessions)
        assert.ok(begunAt.get(session)! > wokenAt.get(session)!, `${session} did not run`);
    },
  );
}

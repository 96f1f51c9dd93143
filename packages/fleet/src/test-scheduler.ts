import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Scheduler, Serving, Work, WorkRun } from "./scheduler.ts";

/** A new, empty place that workers share. */
export interface SchedulerPlace {
  /** The tenant whose sessions are woken. */
  readonly tenant: string;
  /** Opens the scheduler as one more process. */
  open(): Promise<Scheduler>;
  /** Called at the end of a case, whether it passed or not. All workers are drained. */
  remove(): Promise<void>;
}

/** Your test function, and the scheduler to test. */
export interface TestSchedulerOptions {
  /** The test function of the runner in use: that of vitest, node:test, jest, ... */
  test(name: string, run: () => Promise<void>): void;
  place(): Promise<SchedulerPlace>;
}

const ENDED = { kind: "ended" } as const;
const LEFT = { kind: "left" } as const;
/** So many that a machine with other things to do does not fail, and so few that nobody waits for a wake that was lost. */
const MOST_LOOKS = 6_000;

interface Case {
  readonly tenant: string;
  /** Serves as one more process, and is drained at the end of the case. */
  serve(work: Work, options?: Parameters<Scheduler["serve"]>[1]): Promise<Serving>;
  wake(session: string): Promise<void>;
  /** As a front end. */
  readonly front: Scheduler;
}

/** What a scheduler must do wherever it runs, as tests. Call it once, in a test file. */
export function testScheduler({ test, place }: TestSchedulerOptions): void {
  const check = (name: string, run: (one: Case) => Promise<void>): void =>
    test(name, async () => {
      const { tenant, open, remove } = await place();
      const serving: Serving[] = [];
      const front = await open();
      try {
        await run({
          tenant,
          front,
          async serve(work, options = {}) {
            // A machine that stands still for seven of these passes for a queue that does (run-sent.ts).
            const one = (await open()).serve(work, { renewEveryMs: 150, retryAfterMs: () => 50, ...options });
            serving.push(one);
            return one;
          },
          wake: async (session) => assert.equal(await front.wake({ tenant, session }), "woken"),
        });
      } finally {
        await Promise.all(serving.map((one) => one.drain({ withinMs: 0 })));
        await remove();
      }
    });

  check("a session that is woken runs, once, with its names and rising numbers", async ({ tenant, serve, wake }) => {
    const runs: WorkRun[] = [];
    const work: Work = async (run) => {
      runs.push(run);
      return ENDED;
    };
    await serve(work);
    await serve(work);
    await wake("s");
    await until(() => runs.length === 1);
    assert.deepEqual([runs[0]!.tenant, runs[0]!.session, runs[0]!.attempt], [tenant, "s", 1]);
    assert.equal(runs[0]!.left.aborted, false);
    await wait(300);
    assert.equal(runs.length, 1, "it ran again, though nobody had woken it");
    await wake("s");
    await until(() => runs.length === 2);
    assert.ok(runs[1]!.number > runs[0]!.number);
  });

  check(
    "a session never runs twice at a time; a wake during a run is told, and it runs again",
    async ({ serve, wake }) => {
      let [now, runs, told] = [0, 0, 0];
      const gate = Promise.withResolvers<void>();
      const work: Work = async (run) => {
        assert.equal(++now, 1, "it runs twice at a time");
        run.onWoken(() => told++);
        if (++runs === 1) await gate.promise;
        now--;
        return ENDED;
      };
      await serve(work);
      await serve(work);
      await wake("s");
      await until(() => runs === 1);
      await wake("s");
      await until(() => told > 0);
      assert.equal(runs, 1);
      gate.resolve();
      await until(() => runs === 2);
      await wait(200);
      assert.equal(runs, 2);
    },
  );

  check(
    "a run that fails comes again; one that is put off comes later, or when it is woken",
    async ({ serve, wake }) => {
      const errors: string[] = [];
      const attempts: number[] = [];
      const work: Work = async ({ attempt, session }) => {
        attempts.push(attempt);
        if (session === "away") return attempts.length === 1 ? { kind: "later", afterMs: 600_000 } : ENDED;
        if (attempt < 3) throw new Error(`attempt ${attempt}`);
        return ENDED;
      };
      const onError = (error: unknown): void => void errors.push((error as Error).message);
      await serve(work, { onError });
      await wake("s");
      await until(() => attempts.length === 3);
      assert.deepEqual(
        [attempts, errors],
        [
          [1, 2, 3],
          ["attempt 1", "attempt 2"],
        ],
      );
      attempts.splice(0);
      await wake("away");
      await until(() => attempts.length === 1);
      await wait(200);
      assert.deepEqual(attempts, [1]);
      await wake("away");
      await until(() => attempts.length === 2);
      assert.deepEqual(attempts, [1, 1]);
    },
  );

  check(
    "a session that always fails is set aside and told, and others still run",
    async ({ tenant, serve, ...one }) => {
      const attempts: number[] = [];
      const told: unknown[] = [];
      let sound = 0;
      const work: Work = async ({ session, attempt }) => {
        if (session === "sound") sound++;
        if (session === "sound") return ENDED;
        attempts.push(attempt);
        throw new Error("always");
      };
      await serve(work, { onSetAside: async (target) => void told.push(target) });
      await one.wake("poison");
      await until(() => told.length === 1);
      assert.deepEqual(told, [{ tenant, session: "poison" }]);
      assert.deepEqual(
        attempts,
        attempts.map((_, index) => index + 1),
      );
      assert.ok(attempts.length > 1);
      assert.equal(await one.front.wake({ tenant, session: "poison" }), "set-aside");
      await one.wake("sound");
      await until(() => sound === 1);
      assert.deepEqual([told.length, attempts.length], [1, attempts.at(-1)]);
    },
  );

  check("other sessions run beside one, as many as there are slots", async ({ serve, wake }) => {
    const running = new Set<string>();
    const gate = Promise.withResolvers<void>();
    let most = 0;
    let ended = 0;
    const one = await serve(
      async ({ session }) => {
        running.add(session);
        most = Math.max(most, running.size);
        await gate.promise;
        running.delete(session);
        ended++;
        return ENDED;
      },
      { slots: 2 },
    );
    for (const session of ["a", "b", "c", "d"]) await wake(session);
    await until(() => running.size === 2);
    await wait(200);
    assert.equal(one.running.length, 2);
    gate.resolve();
    await until(() => ended === 4);
    assert.equal(most, 2);
  });

  check(
    "a worker that is drained ends what it can, leaves the rest to others, and takes nothing new",
    async ({ serve, wake }) => {
      const begun: string[] = [];
      const gate = Promise.withResolvers<void>();
      const worker =
        (name: string): Work =>
        async ({ session, left }) => {
          begun.push(`${name} ${session}`);
          if (name === "second") return ENDED;
          const leaving = new Promise<void>((resolve) => left.addEventListener("abort", () => resolve()));
          await Promise.race(session === "short" ? [gate.promise] : [leaving]);
          return left.aborted ? LEFT : ENDED;
        };
      const first = await serve(worker("first"));
      await wake("short");
      await wake("long");
      await until(() => begun.length === 2);
      setTimeout(() => gate.resolve(), 100);
      const drained = first.drain({ withinMs: 1_000 });
      await wake("new");
      assert.deepEqual(await drained, { ended: 1, left: 1 });
      assert.deepEqual(first.running, []);
      await serve(worker("second"));
      await until(() => begun.length === 4);
      assert.deepEqual(begun.slice(2).sort(), ["second long", "second new"]);
    },
  );
}

async function until(condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition(); looks++) {
    assert.ok(looks < MOST_LOOKS, `not after ${MOST_LOOKS} looks: ${condition}`);
    await wait(10);
  }
}

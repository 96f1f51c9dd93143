import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type CoordinationCheck, openMany, take } from "./coordination-case.ts";

const MINUTE_MS = 60_000;

/** Tests that a lease has one owner at a time, and that a former owner can do nothing with it. */
export function testLeases(check: CoordinationCheck): void {
  check("a held lease is refused with its owner, within one process too", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const { name, generation, takenAtMs } = await take(one, "session A");
    assert.deepEqual([name, generation, takenAtMs], ["dream", 1, place.nowMs()]);
    for (const process of [one, two]) {
      const refused = await process.leases.take("dream", { owner: "B" });
      assert.ok(refused.kind === "held");
      const { owner, takenAtMs: since, renewedAtMs } = refused.by;
      assert.deepEqual([owner, since, renewedAtMs], ["session A", place.nowMs(), place.nowMs()]);
    }
    assert.equal((await two.leases.take("other", { owner: "B" })).kind, "taken");
  });

  check("of many that take a lease at once one has it", async (place) => {
    const all = await openMany(place, 12);
    const results = await Promise.all(all.map(({ leases }) => leases.take("dream", { owner: "x" })));
    assert.equal(results.filter(({ kind }) => kind === "taken").length, 1);
  });

  check("an owner that renews keeps its lease; a silent one loses it, not before its time", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const lease = await take(one, "session A");
    for (let renewal = 0; renewal < 10; renewal++) {
      place.advanceClock(place.silentAfterMs - 1);
      assert.equal((await two.leases.take("dream", { owner: "B" })).kind, "held");
      assert.equal(await lease.renew(), "held");
    }
    place.advanceClock(place.silentAfterMs);
    const taken = await take(two);
    assert.equal(taken.generation, lease.generation + 1);
    assert.equal(taken.reclaimed?.because, "silent");
    assert.equal(taken.reclaimed.from.owner, "session A");
    assert.equal(await lease.check(), "lost");
  });

  check("a lost lease is lost to everything its owner does with it, for good", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const late = await take(one);
    place.advanceClock(place.silentAfterMs);
    const now = await take(two);
    let written = 0;
    assert.deepEqual(await late.guard(() => written++), { kind: "lost" });
    assert.deepEqual([await late.check(), await late.renew(), await late.finish("done")], ["lost", "lost", "lost"]);
    assert.equal(await now.check(), "held");
    await now.finish("failed");
    assert.deepEqual(await late.guard(() => written++), { kind: "lost" });
    assert.equal(written, 0);
    assert.equal((await one.leases.read("dream")).lastDoneAtMs, undefined);
  });

  check("nobody takes a lease while a guarded write is under way", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const late = await take(one);
    place.advanceClock(place.silentAfterMs);
    const order: string[] = [];
    const begun = Promise.withResolvers<void>();
    const writing = late.guard(async () => {
      begun.resolve();
      await sleep(50);
      order.push("written");
      return "value";
    });
    await begun.promise;
    const taking = take(two).then(() => order.push("taken"));
    assert.deepEqual(await writing, { kind: "done", value: "value" });
    await taking;
    assert.deepEqual(order, ["written", "taken"]);
    assert.deepEqual(await late.guard(() => 1), { kind: "lost" });
  });

  check("a guarded write that fails says why, and the lease stays held", async (place) => {
    const lease = await take(await place.open());
    await assert.rejects(
      lease.guard(() => Promise.reject(new Error("on purpose"))),
      /on purpose/,
    );
    assert.equal(await lease.renew(), "held");
  });

  check("the time of the last work is when it began, and only if it was finished", async (place) => {
    const process = await place.open();
    assert.deepEqual(await process.leases.read("dream"), { failures: 0 });
    const first = await take(process);
    const beganAtMs = place.nowMs();
    assert.equal(first.lastDoneAtMs, undefined);
    place.advanceClock(MINUTE_MS);
    assert.equal(await first.finish("done"), "finished");
    const done = { lastDoneAtMs: beganAtMs, lastTriedAtMs: beganAtMs, failures: 0 };
    assert.deepEqual(await process.leases.read("dream"), done);
    for (const [outcome, failures] of [
      ["failed", 1],
      ["failed", 2],
      ["killed", 2],
      ["held", 0],
    ] as const) {
      place.advanceClock(MINUTE_MS);
      const before = await process.leases.read("dream");
      const lease = await take(process);
      assert.equal(lease.failures, before.failures);
      assert.equal(lease.lastDoneAtMs, beganAtMs);
      assert.ok((await process.leases.read("dream")).holder !== undefined);
      await lease.finish(outcome);
      const lastTriedAtMs = outcome === "killed" ? before.lastTriedAtMs : place.nowMs();
      assert.deepEqual(await process.leases.read("dream"), { lastDoneAtMs: beganAtMs, lastTriedAtMs, failures });
    }
    const heldAtMs = place.nowMs();
    place.advanceClock(MINUTE_MS);
    await process.leases.confirm("dream");
    assert.equal((await process.leases.read("dream")).lastDoneAtMs, heldAtMs);
  });

  check("a process that closes gives its leases back, as if nothing had started", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    await (await take(one)).finish("done");
    const before = await one.leases.read("dream");
    place.advanceClock(MINUTE_MS);
    await take(one);
    await one.close();
    assert.deepEqual(await two.leases.read("dream"), before);
    assert.equal((await take(two)).reclaimed, undefined);
  });

  check("of many that look for work one does, until the time is over", async (place) => {
    const all = await openMany(place, 6);
    const touchAll = () => Promise.all(all.map(({ leases }) => leases.touch("dream", { everyMs: 10 * MINUTE_MS })));
    const countTouched = async () => (await touchAll()).filter((result) => result === "touched").length;
    assert.equal(await countTouched(), 1);
    assert.deepEqual(await all[0]!.leases.read("dream"), { lastScanAtMs: place.nowMs(), failures: 0 });
    place.advanceClock(10 * MINUTE_MS - 1);
    assert.equal(await countTouched(), 0);
    place.advanceClock(1);
    assert.equal(await countTouched(), 1);
    const lease = await take(all[0]!);
    assert.deepEqual([lease.generation, lease.lastDoneAtMs], [1, undefined]);
  });
}

import assert from "node:assert/strict";
import { type DispatchCheck, names, takeOne } from "./dispatch-case.ts";

/** Tests that nothing is left of a session that was deleted, and that others keep theirs. */
export function testForget(check: DispatchCheck): void {
  check("of a session that is forgotten nothing is left, and nothing wakes it", async (place) => {
    const worker = await place.open();
    const { inbox, schedule, approvals, events } = worker;
    for (const session of ["s", "t"]) {
      await inbox.add(session, { key: "k", payload: "said" });
      await schedule.remind(session, { key: "later", dueAtMs: place.nowMs() + 1_000, reason: "look" });
      await approvals.ask({ sessionId: session, callId: "call", tool: "pay", input: {} });
      await events.publish(session, ["one"]);
    }
    const run = await takeOne(worker);
    await worker.forget(run.session);
    const other = run.session === "s" ? "t" : "s";
    assert.equal(await run.renew(), "lost");
    assert.deepEqual(await inbox.read(run.session), []);
    const { questions } = await approvals.pending();
    assert.deepEqual(
      questions.map(({ sessionId }) => sessionId),
      [other],
    );
    assert.deepEqual((await events.read(run.session)).newestOffset, 0);
    assert.equal((await events.read(other)).newestOffset, 1);
    place.advanceClock(2_000);
    assert.deepEqual(names(await worker.queue.take()), [other]);
    // It may begin anew.
    assert.equal((await inbox.add(run.session, { key: "k", payload: "said" })).kind, "added");
  });
}

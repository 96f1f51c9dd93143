import assert from "node:assert/strict";
import type { Question } from "../approvals/approvals.ts";
import { type DispatchCheck, names, takeOne } from "./dispatch-case.ts";

const DAY_MS = 86_400_000;

function question(callId: string, more: Partial<Question> = {}): Question {
  return {
    sessionId: "s",
    callId,
    tool: "refund",
    input: { order: 17, cents: [1, 2] },
    reason: "over the limit",
    ...more,
  };
}

/** Tests that a question is asked and answered once, by whoever is first, and that the answer wakes the session. */
export function testApprovals(check: DispatchCheck): void {
  check("a question is asked once, however often it is put, and is answered by another process", async (place) => {
    const [asker, person] = [await place.open(), await place.open()];
    const asked = { ...question("c1"), askedAtMs: place.nowMs() };
    assert.deepEqual(await asker.approvals.ask(question("c1")), { kind: "pending", question: asked });
    place.advanceClock(3 * DAY_MS);
    assert.deepEqual(await asker.approvals.ask(question("c1")), { kind: "pending", question: asked });
    assert.deepEqual(await person.approvals.pending(), { questions: [asked] });
    const answer = { decision: "deny", by: "ada", reason: "too much" } as const;
    assert.deepEqual(await person.approvals.answer("s", "c1", answer), { kind: "answered" });
    const answered = { kind: "answered", question: asked, answer: { ...answer, answeredAtMs: place.nowMs() } };
    assert.deepEqual(await asker.approvals.ask(question("c1")), answered);
    assert.deepEqual(await asker.approvals.read("s", "c1"), answered);
    assert.deepEqual(await asker.approvals.read("s", "c2"), { kind: "absent" });
    assert.deepEqual(await person.approvals.pending(), { questions: [] });
  });

  check("the answer wakes the session, also while it runs; a question alone does not", async (place) => {
    const worker = await place.open();
    await worker.approvals.ask(question("c1"));
    assert.deepEqual(names(await worker.queue.take()), []);
    await worker.schedule.wake("s");
    const run = await takeOne(worker);
    await worker.approvals.answer("s", "c1", { decision: "allow", by: "ada" });
    assert.equal(await run.finish(), "woken");
    assert.equal((await takeOne(worker)).session, "s");
  });

  check("of many that answer at once one does, and the others are told who", async (place) => {
    const people = await Promise.all(Array.from({ length: 6 }, () => place.open()));
    const { approvals } = people[0]!;
    for (let round = 0; round < 8; round++) {
      const callId = `c${round}`;
      await approvals.ask(question(callId));
      const outcomes = await Promise.all(
        people.map((person, index) =>
          person.approvals.answer("s", callId, { decision: index % 2 === 0 ? "allow" : "deny", by: `person ${index}` }),
        ),
      );
      const first = outcomes.findIndex(({ kind }) => kind === "answered");
      const others = outcomes.filter((_, index) => index !== first);
      const decision = first % 2 === 0 ? "allow" : "deny";
      const answer = { decision, by: `person ${first}`, answeredAtMs: place.nowMs() };
      assert.deepEqual(
        others,
        others.map(() => ({ kind: "answered-before", answer })),
      );
    }
    const other = { decision: "allow", by: "x" } as const;
    assert.deepEqual(await approvals.answer("s", "none", other), { kind: "absent" });
    assert.deepEqual(await approvals.answer("t", "c1", other), { kind: "absent" });
  });

  check("an answer to one input is none to another", async (place) => {
    const { approvals } = await place.open();
    await approvals.ask(question("c1"));
    await approvals.answer("s", "c1", { decision: "allow", by: "ada" });
    for (const other of [{ input: { order: 17, cents: [1, 3] } }, { tool: "pay" }]) {
      const result = await approvals.ask(question("c1", other));
      assert.deepEqual(result, { kind: "different", asked: { ...question("c1"), askedAtMs: place.nowMs() } });
    }
  });

  check("a question expires at its time: the session is woken, and an answer comes too late", async (place) => {
    const worker = await place.open();
    const expiresAtMs = place.nowMs() + DAY_MS;
    await worker.approvals.ask(question("c1", { expiresAtMs }));
    await worker.approvals.ask(question("c2", { expiresAtMs }));
    await worker.approvals.answer("s", "c2", { decision: "allow", by: "ada" });
    await (await takeOne(worker)).finish();
    place.advanceClock(DAY_MS - 1);
    assert.deepEqual(names(await worker.queue.take()), []);
    assert.equal((await worker.approvals.pending()).questions.length, 1);
    place.advanceClock(1);
    const run = await takeOne(worker);
    // That of the answered question is gone.
    assert.equal(run.reminders.length, 1);
    assert.equal((await worker.approvals.read("s", "c1")).kind, "expired");
    assert.deepEqual(await worker.approvals.pending(), { questions: [] });
    const late = await worker.approvals.answer("s", "c1", { decision: "allow", by: "ada" });
    assert.deepEqual(late, { kind: "expired", expiredAtMs: expiresAtMs });
    assert.equal((await worker.approvals.ask(question("c1", { expiresAtMs }))).kind, "expired");
  });

  check("open questions are listed oldest first, in pages, of one session or of all", async (place) => {
    const { approvals } = await place.open();
    for (const callId of ["c1", "c2", "c3", "c4", "c5"])
      await approvals.ask(question(callId, { sessionId: callId === "c3" ? "other" : "s", input: null }));
    await approvals.answer("s", "c2", { decision: "allow", by: "ada" });
    const ids = async (options: { session?: string; after?: string; limit?: number }) => {
      const { questions, next } = await approvals.pending(options);
      return { ids: questions.map(({ callId }) => callId), next };
    };
    const first = await ids({ limit: 2 });
    assert.deepEqual(first.ids, ["c1", "c3"]);
    assert.deepEqual(await ids({ limit: 2, after: first.next! }), { ids: ["c4", "c5"], next: undefined });
    assert.deepEqual((await ids({ session: "s" })).ids, ["c1", "c4", "c5"]);
    const ofSession = await ids({ session: "s", limit: 1 });
    assert.deepEqual(await ids({ session: "s", after: ofSession.next! }), { ids: ["c4", "c5"], next: undefined });
  });

  check(
    "a question that is taken back is nobody's any more, and can be asked again; an answer stays",
    async (place) => {
      const worker = await place.open();
      const { approvals } = worker;
      assert.equal(await approvals.withdraw("s", "c1"), "absent");
      await approvals.ask(question("c1", { expiresAtMs: place.nowMs() + DAY_MS }));
      assert.equal(await approvals.withdraw("s", "c1"), "withdrawn");
      assert.deepEqual(await approvals.pending(), { questions: [] });
      assert.deepEqual(await approvals.answer("s", "c1", { decision: "allow", by: "ada" }), { kind: "absent" });
      place.advanceClock(DAY_MS);
      assert.deepEqual(names(await worker.queue.take()), []);
      assert.equal((await approvals.ask(question("c1", { input: "another" }))).kind, "pending");
      await approvals.answer("s", "c1", { decision: "allow", by: "ada" });
      assert.equal(await approvals.withdraw("s", "c1"), "answered");
      assert.equal((await approvals.read("s", "c1")).kind, "answered");
    },
  );
}

import assert from "node:assert/strict";
import type { SessionInbox } from "../inbox/session-inbox.ts";
import { type DispatchCheck, names, takeOne } from "./dispatch-case.ts";

const payloads = async (inbox: SessionInbox, session = "s"): Promise<readonly unknown[]> =>
  (await inbox.read(session)).map(({ payload }) => payload);

/** Tests that what is said to a session is stored once, in order, together with a wake. */
export function testInbox(check: DispatchCheck): void {
  check("an item is stored once for each key and session, also after it was acknowledged", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const first = await one.inbox.add("s", { key: "k1", payload: { said: "Grüße 🐘" } });
    assert.deepEqual([first.kind, first.session], ["added", "woken"]);
    assert.deepEqual(await two.inbox.add("s", { key: "k1", payload: { said: "Grüße 🐘" } }), {
      ...first,
      kind: "known",
    });
    assert.deepEqual(await two.inbox.add("s", { key: "k1", payload: "another" }), { ...first, kind: "different" });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const second = await two.inbox.add("s", { key: "k2", payload: null, traceparent });
    assert.ok(second.number > first.number);
    const other = await two.inbox.add("t", { key: "k1", payload: [1] });
    assert.equal(other.kind, "added");
    assert.deepEqual(await one.inbox.read("s"), [
      { number: first.number, key: "k1", payload: { said: "Grüße 🐘" }, addedAtMs: place.nowMs() },
      { number: second.number, key: "k2", payload: null, traceparent, addedAtMs: place.nowMs() },
    ]);
    assert.equal((await one.inbox.read("s", { limit: 1 })).length, 1);
    await two.inbox.acknowledge("s", [first.number, other.number]);
    await two.inbox.acknowledge("s", [first.number]);
    await two.inbox.acknowledge("s", []);
    assert.deepEqual(await payloads(one.inbox), [null]);
    assert.deepEqual(await payloads(one.inbox, "t"), [[1]]);
    assert.equal((await one.inbox.add("s", { key: "k1", payload: { said: "Grüße 🐘" } })).kind, "known");
    assert.equal((await one.inbox.add("s", { key: "k1", payload: "another" })).kind, "different");
    assert.deepEqual(await payloads(one.inbox), [null]);
  });

  check("an item wakes its session, also while it runs, and the run is told", async (place) => {
    const worker = await place.open();
    await worker.inbox.add("s", { key: "k1", payload: 1 });
    const run = await takeOne(worker);
    assert.equal(await run.renew(), "held");
    await worker.inbox.add("s", { key: "k2", payload: 2 });
    assert.equal(await run.renew(), "woken");
    assert.equal(await run.renew(), "woken");
    assert.equal(await run.finish(), "woken");
    const second = await takeOne(worker);
    assert.equal(await second.renew(), "held");
    assert.equal(await second.finish(), "finished");
    assert.deepEqual(names(await worker.queue.take()), []);
    assert.equal(await second.renew(), "lost");
  });

  check("whoever adds at once, an item that is seen has none below it that comes later", async (place) => {
    const all = await Promise.all(Array.from({ length: 4 }, () => place.open()));
    const seen: number[] = [];
    const state = { adding: "yes" as "yes" | "no" };
    const reading = (async () => {
      for (let last = false; !last; ) {
        last = state.adding === "no";
        const items = await all[0]!.inbox.read("s");
        for (const { number } of items) {
          assert.ok(number > (seen.at(-1) ?? 0), `${number} came behind ${seen.at(-1)}`);
          seen.push(number);
        }
        await all[0]!.inbox.acknowledge(
          "s",
          items.map(({ number }) => number),
        );
      }
    })();
    const adding = all.map(async ({ inbox }, index) => {
      for (let round = 0; round < 15; round++) await inbox.add("s", { key: `${index} ${round}`, payload: round });
    });
    await Promise.all(adding);
    state.adding = "no";
    await reading;
    assert.equal(seen.length, 60);
  });
}

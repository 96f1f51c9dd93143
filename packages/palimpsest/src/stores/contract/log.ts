import assert from "node:assert/strict";
import { draft, headOf, openWriter, type StoreCheck, seal } from "./store-case.ts";

/** Tests that there is one writer at a time. */
export function testWriters(check: StoreCheck): void {
  check("a log in use is busy, and says whose it is and until when; closing frees it", async ({ store, place }) => {
    assert.equal(await store.writerOf("s"), undefined);
    const writer = await openWriter(store, "s", { owner: "first" });
    const refused = await store.openWriter("s", { owner: "second" });
    assert.ok(refused.kind === "busy", "two writers at a time");
    assert.equal(refused.owner, "first");
    assert.equal(refused.freeAtMs, refused.activeAtMs + place.leaseMs);
    const { kind: _, ...currentOwner } = refused;
    assert.deepEqual(await store.writerOf("s"), currentOwner);
    await openWriter(store, "other", { owner: "second" });
    await writer.close();
    assert.equal(await store.writerOf("s"), undefined);
    const second = await openWriter(store, "s", { owner: "second" });
    assert.ok(second.fence > writer.fence);
  });

  check("a writer that waits is alive, however long nothing is appended", async ({ store, place }) => {
    const writer = await openWriter(store, "s", { owner: "first" });
    for (const leases of [0.5, 1, 10, 1_000]) {
      const before = await store.writerOf("s");
      await place.advanceClock(leases * place.leaseMs);
      const refused = await store.openWriter("s", { owner: "second" });
      assert.equal(refused.kind, "busy", `after ${leases} leases`);
      const now = await store.writerOf("s");
      assert.ok(now !== undefined && before !== undefined);
      if (leases >= 1) assert.ok(now.freeAtMs > before.freeAtMs, `${now.freeAtMs} is not after ${before.freeAtMs}`);
    }
    assert.equal((await writer.append(seal([draft("message")]))).kind, "appended");
    await writer.close();
    assert.equal((await store.openWriter("s", { owner: "second" })).kind, "opened");
  });

  check(
    "a writer of which nothing is heard can be replaced after its lease, one that appends cannot",
    async (given) => {
      const { store, place } = given;
      if (place.stall === undefined) return;
      const writer = await openWriter(store, "s", { owner: "first" });
      await place.stall(place.leaseMs - 1);
      await writer.append(seal([draft("message")]));
      await place.stall(place.leaseMs - 1);
      assert.equal((await store.openWriter("s", { owner: "second" })).kind, "busy");
      await place.stall(1);
      assert.equal(await store.writerOf("s"), undefined);
      assert.equal((await store.openWriter("s", { owner: "second" })).kind, "opened");
    },
  );

  check(
    "a writer that stood still and was replaced learns it, and does not keep the log from anyone",
    async (given) => {
      const { store, place } = given;
      if (place.stall === undefined) return;
      const first = await openWriter(store, "s", { owner: "first" });
      await place.stall(place.leaseMs);
      const other = await place.open();
      const second = await openWriter(other, "s", { owner: "second" });
      // The writer continues, and so does the renewal of its leases.
      await place.advanceClock(5 * place.leaseMs);
      const fenced = { kind: "fenced", owner: "second", fence: second.fence };
      assert.deepEqual(await first.append(seal([draft("message")])), fenced);
      assert.equal((await store.writerOf("s"))?.owner, "second");
      await second.close();
      assert.equal(await store.writerOf("s"), undefined);
      assert.equal((await first.append(seal([draft("message")]))).kind, "fenced");
      await first.close();
      await other.close();
    },
  );

  check(
    "a writer that was replaced writes, erases and frees nothing, whatever the clock says",
    async ({ store, place }) => {
      const first = await openWriter(store, "s", { owner: "first" });
      const entries = seal([draft("message")]);
      await first.append(entries);
      const second = await openWriter(store, "s", { owner: "second", takeover: "always" });
      const next = seal([draft("message")], headOf(entries));
      for (const jumpMs of [0, 10 * place.leaseMs, -20 * place.leaseMs]) {
        await place.advanceClock(jumpMs);
        assert.deepEqual(await first.append(next), { kind: "fenced", owner: "second", fence: second.fence });
        assert.equal(await first.erase(1), "fenced");
      }
      await place.advanceClock(10 * place.leaseMs);
      await first.close();
      assert.deepEqual(await second.read(1, 9), entries);
      assert.equal((await second.append(next)).kind, "appended");
      assert.equal((await store.openWriter("s", { owner: "third" })).kind, "busy");
    },
  );

  check("two stores over one place see one log and one writer", async ({ store, place }) => {
    const other = await place.open();
    const first = await openWriter(store, "s", { owner: "first" });
    const entries = seal([draft("message")]);
    await first.append(entries);
    assert.equal((await other.openWriter("s", { owner: "second" })).kind, "busy");
    const second = await openWriter(other, "s", { owner: "second", takeover: "always" });
    assert.deepEqual(await second.read(1, 1), entries);
    assert.equal((await first.append(seal([draft("a")], headOf(entries)))).kind, "fenced");
    await other.close();
  });

  check("of many writers that race for a log, the last one writes and no other", async ({ store }) => {
    const writers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => openWriter(store, "s", { owner: `${index}`, takeover: "always" })),
    );
    const results = await Promise.all(writers.map((writer) => writer.append(seal([draft(`by ${writer.fence}`)]))));
    const newest = Math.max(...writers.map(({ fence }) => fence));
    assert.deepEqual(
      results.map(({ kind }) => kind),
      writers.map(({ fence }) => (fence === newest ? "appended" : "fenced")),
    );
  });
}

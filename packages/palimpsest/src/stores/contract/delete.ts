import assert from "node:assert/strict";
import { toDraft } from "../../log/to-draft.ts";
import { draft, headOf, keepResult, openReader, openWriter, type StoreCheck, said, seal } from "./store-case.ts";

/** Tests that a deleted session is gone with everything that belongs to it, and that shared data stays. */
export function testDelete(check: StoreCheck): void {
  check("a deleted session is gone with its results and its metadata, and no other is", async ({ store, place }) => {
    const files = new Map<string, string>();
    for (const session of ["s", "t"]) {
      const writer = await openWriter(store, session);
      await writer.append(seal([said(`said in ${session}`)]));
      await writer.close();
      files.set(session, await keepResult(store, session));
      await store.setMetadata(session, { title: session });
    }
    assert.deepEqual(await store.delete("s"), { kind: "deleted" });
    assert.deepEqual(await store.delete("s"), { kind: "absent" });
    const again = await place.open();
    for (const one of [store, again]) {
      assert.equal(await one.openReader("s"), undefined);
      assert.equal(await one.readMetadata("s"), undefined);
      assert.equal(await one.results.find("s", files.get("s")!), undefined);
      assert.deepEqual(await one.list(), { sessions: [{ id: "t", metadata: { title: "t" } }] });
      assert.equal((await (await openReader(one, "t")).read(1, 9)).length, 1);
      assert.ok((await one.results.find("t", files.get("t")!)) !== undefined);
    }
    await again.close();
  });

  check("the id of a deleted session begins a new one, of which nothing is known", async ({ store }) => {
    await (await openWriter(store, "s")).close();
    await store.setMetadata("s", { title: "old" });
    await store.delete("s");
    const writer = await openWriter(store, "s");
    assert.equal((await writer.append(seal([draft("message")]))).kind, "appended");
    assert.equal(await store.readMetadata("s"), undefined);
  });

  check("a session that a writer holds is not deleted, and it says who holds it", async ({ store, place }) => {
    const writer = await openWriter(store, "s", { owner: "somebody" });
    const entries = seal([draft("message")]);
    await writer.append(entries);
    const other = await place.open();
    for (const one of [store, other]) {
      const refused = await one.delete("s");
      assert.ok(refused.kind === "busy", refused.kind);
      assert.equal(refused.owner, "somebody");
    }
    assert.equal((await writer.append(seal([draft("message")], headOf(entries)))).kind, "appended");
    await writer.close();
    assert.deepEqual(await other.delete("s"), { kind: "deleted" });
    await other.close();
  });

  check("a session is not deleted while a fork cites it", async ({ store }) => {
    const parent = await openWriter(store, "parent");
    const entries = seal([said("shared")]);
    await parent.append(entries);
    await parent.close();
    const fork = await openWriter(store, "fork");
    await fork.append(seal([toDraft("fork", { session: "parent", source: "test", ...headOf(entries) })]));
    await fork.close();
    assert.deepEqual(await store.delete("parent"), { kind: "cited", forks: ["fork"] });
    assert.deepEqual(await (await openReader(store, "parent")).read(1, 9), entries);
    assert.equal(await store.writerOf("parent"), undefined);
    assert.deepEqual(await store.delete("fork"), { kind: "deleted" });
    assert.deepEqual(await store.delete("parent"), { kind: "deleted" });
  });

  check("who still has a deleted log open reads nothing of it, and writes nothing", async ({ store, place }) => {
    const writer = await openWriter(store, "s", { owner: "first" });
    const entries = seal([said("a secret")]);
    await writer.append(entries);
    const reader = await openReader(store, "s");
    if (place.stall === undefined) await writer.close();
    else await place.stall(place.leaseMs);
    const other = await place.open();
    assert.deepEqual(await other.delete("s"), { kind: "deleted" });
    assert.deepEqual(await reader.read(1, 9).catch(() => []), []);
    const late = await writer.append(seal([draft("message")], headOf(entries))).catch(() => ({ kind: "rejected" }));
    assert.notEqual(late.kind, "appended");
    assert.deepEqual(await other.list(), { sessions: [] });
    assert.equal(await other.openReader("s"), undefined);
    await other.close();
  });
}

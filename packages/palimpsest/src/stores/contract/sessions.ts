import assert from "node:assert/strict";
import { toDraft } from "../../log/draft.ts";
import { checkChain, EMPTY_LOG } from "../../log/entry.ts";
import { sha256 } from "../sha256.ts";
import { MAX_METADATA_BYTES, type SessionPage, type Store } from "../store.ts";
import {
  draft,
  headOf,
  keepResult,
  openReader,
  openWriter,
  type StoreCheck,
  said,
  seal,
  sequences,
} from "./store-case.ts";

/** Tests that sessions are created, listed, described and deleted. */
export function testSessions(check: StoreCheck): void {
  check("a session without a log cannot be read; a writer begins one", async ({ store }) => {
    assert.equal(await store.openReader("new"), undefined);
    assert.deepEqual(await store.list(), { sessions: [] });
    const writer = await openWriter(store, "new");
    assert.deepEqual(await writer.head(), EMPTY_LOG);
    assert.deepEqual(await store.list(), { sessions: [{ id: "new" }] });
    assert.deepEqual(await (await openReader(store, "new")).read(1, 10), []);
  });

  check("results are kept for as long as the logs are", async ({ store, place }) => {
    const draft = await store.results.create("s");
    await draft.write(new TextEncoder().encode("too large for a log"));
    const { file } = await draft.keep("txt");
    await store.close();
    const again = await place.open();
    const found = await again.results.find("s", file);
    assert.ok(found !== undefined, "a result is gone, and its store is not");
    assert.equal(Buffer.concat(await Array.fromAsync(found.chunks())).toString(), "too large for a log");
    await again.close();
  });

  check("sessions are listed by id, page by page, also while others come and go", async ({ store }) => {
    const ids = ["b", "a", "B", "c.d", "a-1", "z", "_"];
    for (const id of ids) await (await openWriter(store, id)).close();
    const sorted = ids.toSorted();
    assert.deepEqual(idsOf(await store.list()), sorted);
    for (const limit of [1, 2, 3, ids.length, 99]) {
      const found: string[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        const page: SessionPage = await store.list({ after, limit });
        assert.ok(page.sessions.length <= limit, `${page.sessions.length} on a page of ${limit}`);
        found.push(...idsOf(page));
        after = page.next;
      }
      assert.deepEqual(found, sorted, `pages of ${limit}`);
    }
    const { next } = await store.list({ limit: 3 });
    await store.delete(next!);
    await (await openWriter(store, "0")).close();
    assert.deepEqual(idsOf(await store.list({ after: next! })), sorted.slice(3));
    assert.deepEqual(await store.list({ after: "zz" }), { sessions: [] });
  });

  check("metadata is set, read and listed beside any writer, and outlives the store", async ({ store, place }) => {
    assert.equal(await store.setMetadata("s", { title: "none yet" }), "absent");
    assert.equal(await store.readMetadata("s"), undefined);
    await openWriter(store, "s");
    assert.equal(await store.readMetadata("s"), undefined);
    assert.equal(await store.setMetadata("s", { title: "first" }), "set");
    const metadata = { title: "Ü 😀\u2028", tags: ["a", "b"], host: { pinned: true, unread: 3 } };
    const other = await place.open();
    assert.equal(await other.setMetadata("s", metadata), "set");
    assert.deepEqual(await store.readMetadata("s"), metadata);
    assert.deepEqual(await store.list(), { sessions: [{ id: "s", metadata }] });
    await store.close();
    const again = await place.open();
    assert.deepEqual(await again.readMetadata("s"), metadata);
    await again.close();
    await other.close();
  });

  check("metadata that is too large, or no JSON object, is refused and changes nothing", async ({ store }) => {
    await openWriter(store, "s");
    await store.setMetadata("s", { title: "kept" });
    const most = { text: "x".repeat(MAX_METADATA_BYTES - JSON.stringify({ text: "" }).length) };
    for (const wrong of [{ ...most, more: 1 }, { text: `${most.text}y` }, [], "title", null, undefined]) {
      await assert.rejects(store.setMetadata("s", wrong as never), { code: "invalid-option" });
    }
    assert.deepEqual(await store.readMetadata("s"), { title: "kept" });
    assert.equal(await store.setMetadata("s", most), "set");
  });
}

function idsOf({ sessions }: SessionPage): readonly string[] {
  return sessions.map(({ id }) => id);
}

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

/** Tests that a payload can be erased while the rest of the entry stays. */
export function testErase(check: StoreCheck): void {
  check("an erased payload is gone, and the chain is whole", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const entries = seal([draft("message", "secret"), draft("message", "open")]);
    await writer.append(entries);
    assert.equal(await writer.erase(1), "erased");
    assert.equal(await writer.erase(3), "absent");
    const left = await writer.read(1, 2);
    assert.deepEqual(left, [{ ...entries[0], payload: undefined }, entries[1]]);
    assert.deepEqual(checkChain(left, EMPTY_LOG, sha256), []);
  });

  check("what was erased is not found", async ({ store }) => {
    const writer = await openWriter(store, "s");
    await writer.append(seal(Array.from({ length: 200 }, (_, index) => said(`secret${index + 1} word`))));
    assert.deepEqual(await sequences(writer, "secret5 word"), [59, 58, 57, 56, 55, 54, 53, 52, 51]);
    await writer.erase(55);
    assert.deepEqual(await sequences(writer, "secret55"), []);
    assert.deepEqual(await sequences(writer, "secret54"), [54]);
  });
}

/** Tests that sessions expire by their silence, page by page, and that sessions in use stay. */
export function testExpire(check: StoreCheck): void {
  check("sessions that were silent for too long expire; recent, held and cited ones stay", async ({ store, place }) => {
    for (const session of ["a-old", "b-held", "c-parent", "e-old", "f-opened"]) await write(store, session);
    const file = await keepResult(store, "a-old");
    await store.setMetadata("a-old", { title: "old" });
    await openWriter(store, "b-held");
    await place.advanceClock(2 * place.leaseMs);
    await writeFork(store, "d-fork", "c-parent");
    const { silentSinceMs, close } = await sinceOneLease(store, "f-opened", place.leaseMs);
    assert.deepEqual(await store.expire({ silentSinceMs, limit: 3 }), {
      deleted: ["a-old"],
      kept: [
        { id: "b-held", why: "busy" },
        { id: "c-parent", why: "cited" },
      ],
      next: "c-parent",
    });
    assert.equal(await store.openReader("a-old"), undefined);
    assert.equal(await store.readMetadata("a-old"), undefined);
    assert.equal(await store.results.find("a-old", file), undefined);
    const rest = { silentSinceMs, after: "c-parent" };
    assert.deepEqual(await store.expire(rest), { deleted: ["e-old"], kept: [] });
    assert.deepEqual(await store.expire(rest), { deleted: [], kept: [] });
    await close();
    assert.deepEqual(await storedIds(store), ["b-held", "c-parent", "d-fork", "f-opened"]);
  });

  check(
    "a parent expires after its forks, and its look at the forks does not count as use",
    async ({ store, place }) => {
      await write(store, "a-parent");
      await writeFork(store, "b-fork", "a-parent");
      await place.advanceClock(2 * place.leaseMs);
      const { silentSinceMs, close } = await sinceOneLease(store, "z", place.leaseMs);
      await close();
      for (let pass = 0; pass < 2; pass++) await store.expire({ silentSinceMs });
      assert.deepEqual(await storedIds(store), ["z"]);
    },
  );
}

async function write(store: Store, session: string): Promise<void> {
  const writer = await openWriter(store, session);
  await writer.append(seal([said(`said in ${session}`)]));
  await writer.close();
}

async function writeFork(store: Store, session: string, parent: string): Promise<void> {
  const writer = await openWriter(store, session);
  await writer.append(seal([toDraft("fork", { session: parent, source: "test", sequence: 1, hash: "" })]));
  await writer.close();
}

/** Opens a log, by which the store's clock shows. */
async function sinceOneLease(store: Store, session: string, leaseMs: number) {
  const writer = await openWriter(store, session);
  const { activeAtMs } = (await store.writerOf(session))!;
  return { silentSinceMs: activeAtMs - leaseMs, close: () => writer.close() };
}

async function storedIds(store: Store): Promise<readonly string[]> {
  return (await store.list()).sessions.map(({ id }) => id);
}

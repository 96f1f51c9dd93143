// The cases of the store contract about sessions: listing, metadata, deletion, erasure and expiry.

import assert from "node:assert/strict";
import { checkChain, EMPTY_LOG, toDraft } from "../../log/entry.ts";
import { sha256 } from "../sha256.ts";
import { MAX_METADATA_BYTES, type SessionMetadata, type SessionPage, type Store } from "../store.ts";
import {
  draft,
  headOf,
  keepResult,
  messageDraft,
  openReader,
  openWriter,
  type StoreCheck,
  seal,
  sequences,
} from "./store-case.ts";

/** Tests that sessions are created, listed, described and deleted. */
export function testSessions(check: StoreCheck): void {
  check("creates a log when a writer opens it, but not for a reader", async ({ store }) => {
    assert.equal(await store.openReader("new"), undefined);
    assert.deepEqual(await store.list(), { sessions: [] });
    const writer = await openWriter(store, "new");
    assert.deepEqual(await writer.head(), EMPTY_LOG);
    assert.deepEqual(await store.list(), { sessions: [{ id: "new" }] });
    assert.deepEqual(await (await openReader(store, "new")).read(1, 10), []);
  });

  check("keeps results as long as the logs", async ({ store, place }) => {
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

  check("lists sessions by id, page by page, while others are created and deleted", async ({ store }) => {
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

  check("sets, reads and lists metadata while a writer is open, and keeps it after close", async ({ store, place }) => {
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

  check("refuses metadata that is too large or not a JSON object, and changes nothing", async ({ store }) => {
    await openWriter(store, "s");
    await store.setMetadata("s", { title: "kept" });
    const most = { text: "x".repeat(MAX_METADATA_BYTES - JSON.stringify({ text: "" }).length) };
    const refused: readonly unknown[] = [{ ...most, more: 1 }, { text: `${most.text}y` }, [], "title", null, undefined];
    for (const metadata of refused) {
      await assert.rejects(store.setMetadata("s", metadata as SessionMetadata), { code: "invalid-option" });
    }
    assert.deepEqual(await store.readMetadata("s"), { title: "kept" });
    assert.equal(await store.setMetadata("s", most), "set");
  });
}

function idsOf({ sessions }: SessionPage): readonly string[] {
  return sessions.map(({ id }) => id);
}

/** Tests that a deletion removes a session with all of its data, and keeps shared data. */
export function testDelete(check: StoreCheck): void {
  check("deletes a session with its results and metadata, and no other session", async ({ store, place }) => {
    const files = new Map<string, string>();
    for (const session of ["s", "t"]) {
      const writer = await openWriter(store, session);
      await writer.append(seal([messageDraft(`text of ${session}`)]));
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

  check("starts a new session without old data under the id of a deleted session", async ({ store }) => {
    await (await openWriter(store, "s")).close();
    await store.setMetadata("s", { title: "old" });
    await store.delete("s");
    const writer = await openWriter(store, "s");
    assert.equal((await writer.append(seal([draft("message")]))).kind, "appended");
    assert.equal(await store.readMetadata("s"), undefined);
  });

  check("refuses to delete a session with an open writer, and names the writer", async ({ store, place }) => {
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

  check("refuses to delete a session while a fork cites it", async ({ store }) => {
    const parent = await openWriter(store, "parent");
    const entries = seal([messageDraft("shared")]);
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

  check("lets open readers and writers of a deleted log read and write nothing", async ({ store, place }) => {
    const writer = await openWriter(store, "s", { owner: "first" });
    const entries = seal([messageDraft("a secret")]);
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

/** Tests that a payload can be erased while the rest of the entry is kept. */
export function testErase(check: StoreCheck): void {
  check("erases a payload and keeps the chain valid", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const entries = seal([draft("message", "secret"), draft("message", "open")]);
    await writer.append(entries);
    assert.equal(await writer.erase(1), "erased");
    assert.equal(await writer.erase(3), "absent");
    const left = await writer.read(1, 2);
    assert.deepEqual(left, [{ ...entries[0], payload: undefined }, entries[1]]);
    assert.deepEqual(checkChain(left, EMPTY_LOG, sha256), []);
  });

  check("does not find erased text", async ({ store }) => {
    const writer = await openWriter(store, "s");
    await writer.append(seal(Array.from({ length: 200 }, (_, index) => messageDraft(`secret${index + 1} word`))));
    assert.deepEqual(await sequences(writer, "secret5 word"), [59, 58, 57, 56, 55, 54, 53, 52, 51]);
    await writer.erase(55);
    assert.deepEqual(await sequences(writer, "secret55"), []);
    assert.deepEqual(await sequences(writer, "secret54"), [54]);
  });
}

/** Tests that silent sessions expire, page by page, and that sessions in use are kept. */
export function testExpire(check: StoreCheck): void {
  check("expires silent sessions, and keeps recent, open and cited sessions", async ({ store, place }) => {
    for (const session of ["a-old", "b-open", "c-parent", "e-old", "f-recent"]) await write(store, session);
    const file = await keepResult(store, "a-old");
    await store.setMetadata("a-old", { title: "old" });
    await openWriter(store, "b-open");
    await place.advanceClock(2 * place.leaseMs);
    await writeFork(store, "d-fork", "c-parent");
    const { silentSinceMs, close } = await sinceOneLease(store, "f-recent", place.leaseMs);
    assert.deepEqual(await store.expire({ silentSinceMs, limit: 3 }), {
      deleted: ["a-old"],
      kept: [
        { id: "b-open", why: "busy" },
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
    assert.deepEqual(await storedIds(store), ["b-open", "c-parent", "d-fork", "f-recent"]);
  });

  check("expires a parent after its forks, and does not count the check for forks as use", async ({ store, place }) => {
    await write(store, "a-parent");
    await writeFork(store, "b-fork", "a-parent");
    await place.advanceClock(2 * place.leaseMs);
    const { silentSinceMs, close } = await sinceOneLease(store, "z", place.leaseMs);
    await close();
    for (let pass = 0; pass < 2; pass++) await store.expire({ silentSinceMs });
    assert.deepEqual(await storedIds(store), ["z"]);
  });
}

async function write(store: Store, session: string): Promise<void> {
  const writer = await openWriter(store, session);
  await writer.append(seal([messageDraft(`text of ${session}`)]));
  await writer.close();
}

async function writeFork(store: Store, session: string, parent: string): Promise<void> {
  const writer = await openWriter(store, session);
  await writer.append(seal([toDraft("fork", { session: parent, source: "test", sequence: 1, hash: "" })]));
  await writer.close();
}

/** Opens a log, and returns the time of the store's clock minus one lease. */
async function sinceOneLease(store: Store, session: string, leaseMs: number) {
  const writer = await openWriter(store, session);
  const { activeAtMs } = (await store.writerOf(session))!;
  return { silentSinceMs: activeAtMs - leaseMs, close: () => writer.close() };
}

async function storedIds(store: Store): Promise<readonly string[]> {
  return (await store.list()).sessions.map(({ id }) => id);
}

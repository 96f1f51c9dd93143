import assert from "node:assert/strict";
import { EMPTY_LOG } from "../../log/entry.ts";
import { MAX_METADATA_BYTES } from "../metadata.ts";
import type { SessionPage } from "../store.ts";
import { openReader, openWriter, type StoreCheck } from "./store-case.ts";

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

import assert from "node:assert/strict";
import { collectBatch } from "../collect-batch.ts";
import type { BatchOptions } from "../store.ts";
import { draft, headOf, openReader, openWriter, type StoreCheck, seal } from "./store-case.ts";

/** Tests that entries are appended at the end, in whole batches, and read back unchanged. */
export function testAppendAndRead(check: StoreCheck): void {
  check(
    "what was appended is read back as it was, by readers and by the writer, also after reopening",
    async ({ store, place }) => {
      const writer = await openWriter(store, "s");
      const entries = seal([
        draft("message", "ü😀\u2028\\u0000"),
        draft("usage"),
        draft("message", "x".repeat(300_000)),
      ]);
      assert.deepEqual(await writer.append(entries), { kind: "appended", head: headOf(entries) });
      assert.deepEqual(await writer.read(1, 3), entries);
      const reader = await openReader(store, "s");
      assert.deepEqual(await reader.read(2, 2), entries.slice(1, 2));
      assert.deepEqual(await reader.read(3, 99), entries.slice(2));
      assert.deepEqual(await reader.read(4, 99), []);
      assert.deepEqual(await reader.read(0, 1), entries.slice(0, 1));
      assert.deepEqual(await reader.head(), headOf(entries));
      await writer.close();
      const again = await place.open();
      assert.deepEqual(await (await openReader(again, "s")).read(1, 3), entries);
      await again.close();
    },
  );

  check("a reader that is open sees what is appended later", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const reader = await openReader(store, "s");
    const entries = seal([draft("message")]);
    await writer.append(entries);
    assert.deepEqual(await reader.read(1, 1), entries);
    assert.deepEqual(await reader.head(), headOf(entries));
  });

  check("appends follow the head; anything else writes nothing", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const first = seal([draft("message"), draft("message")]);
    await writer.append(first);
    const head = headOf(first);
    assert.deepEqual(await writer.append(first), { kind: "out-of-order", head });
    const later = seal([draft("a"), draft("b")], { ...head, sequence: head.sequence + 1 });
    assert.deepEqual(await writer.append(later), { kind: "out-of-order", head });
    const [third, fourth] = seal([draft("a"), draft("b")], head);
    assert.ok(third && fourth);
    assert.deepEqual(await writer.append([fourth, third]), { kind: "out-of-order", head });
    assert.deepEqual(await writer.append([third, { ...fourth, sequence: 9 }]), { kind: "out-of-order", head });
    assert.deepEqual(await writer.read(1, 99), first);
    assert.deepEqual(await writer.append([]), { kind: "appended", head });
  });

  check("the newest entry of a kind is found, also below a number", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const entries = seal([draft("boundary"), draft("message"), draft("boundary"), draft("message")]);
    await writer.append(entries);
    assert.deepEqual(await writer.newest("boundary"), entries[2]);
    assert.deepEqual(await writer.newest("boundary", 3), entries[0]);
    assert.equal(await writer.newest("boundary", 1), undefined);
    assert.equal(await writer.newest("rewind"), undefined);
  });

  check("a batch is what single reads return, also while the log is opened", async ({ store }) => {
    const kinds = ["fork", "boundary", "message", "usage", "message", "boundary", "message", "usage"];
    const batches: BatchOptions[] = [
      {},
      { ranges: [{ from: 1, to: 1 }] },
      {
        ranges: [
          { from: 7, to: 99 },
          { from: 0, to: 2 },
          { from: 2, to: 3 },
          { from: 5, to: 4 },
        ],
      },
      { newest: ["boundary", "rewind", "message", "fork"] },
      { tail: { since: "boundary", limit: 99 } },
      { tail: { since: "boundary", limit: 2 } },
      { tail: { since: "rewind", limit: 99 } },
      { ranges: [{ from: 1, to: 1 }], newest: ["boundary", "usage"], tail: { since: "usage", limit: 3 } },
      { upTo: 5, ranges: [{ from: 4, to: 99 }], newest: ["boundary", "usage"], tail: { since: "boundary", limit: 3 } },
    ];
    for (const session of ["empty", "s"]) {
      let writer = await openWriter(store, session);
      if (session === "s") await writer.append(seal(kinds.map((kind) => draft(kind))));
      for (const read of batches) {
        const expected = await collectBatch(writer, read);
        assert.deepEqual(await writer.readBatch(read), expected);
        await writer.close();
        const reopened = await store.openWriter(session, { owner: "test", read });
        assert.ok(reopened.kind === "opened");
        assert.deepEqual(reopened.batch, expected);
        writer = reopened.writer;
        assert.deepEqual((await store.openReader(session, { read }))?.batch, expected);
      }
    }
  });
}

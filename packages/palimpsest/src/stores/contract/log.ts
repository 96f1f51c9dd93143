// The cases of the store contract about logs: appending, reading, writers and search.

import assert from "node:assert/strict";
import { collectBatch } from "../read.ts";
import type { BatchOptions, LogReader, SearchOptions } from "../store.ts";
import { draft, headOf, messageDraft, openReader, openWriter, type StoreCheck, seal, sequences } from "./store-case.ts";

/** Tests that entries are appended at the end, in whole batches, and read back unchanged. */
export function testAppendAndRead(check: StoreCheck): void {
  check(
    "returns appended entries unchanged to readers and the writer, also after reopening",
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

  check("shows later appends to an open reader", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const reader = await openReader(store, "s");
    const entries = seal([draft("message")]);
    await writer.append(entries);
    assert.deepEqual(await reader.read(1, 1), entries);
    assert.deepEqual(await reader.head(), headOf(entries));
  });

  check("refuses an append that does not continue the head, and writes nothing", async ({ store }) => {
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

  check("finds the newest entry of a kind, also below a number", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const entries = seal([draft("boundary"), draft("message"), draft("boundary"), draft("message")]);
    await writer.append(entries);
    assert.deepEqual(await writer.newest("boundary"), entries[2]);
    assert.deepEqual(await writer.newest("boundary", 3), entries[0]);
    assert.equal(await writer.newest("boundary", 1), undefined);
    assert.equal(await writer.newest("rewind"), undefined);
  });

  check("reads in a batch what single reads return, also while opening the log", async ({ store }) => {
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

/** Tests that there is one writer at a time. */
export function testWriters(check: StoreCheck): void {
  check(
    "reports the owner and the end of the lease of a busy log, and frees the log on close",
    async ({ store, place }) => {
      assert.equal(await store.writerOf("s"), undefined);
      const writer = await openWriter(store, "s", { owner: "first" });
      const refused = await store.openWriter("s", { owner: "second" });
      assert.ok(refused.kind === "busy", "the log has two writers at the same time");
      assert.equal(refused.owner, "first");
      assert.equal(refused.freeAtMs, refused.activeAtMs + place.leaseMs);
      const { kind: _, ...currentOwner } = refused;
      assert.deepEqual(await store.writerOf("s"), currentOwner);
      await openWriter(store, "other", { owner: "second" });
      await writer.close();
      assert.equal(await store.writerOf("s"), undefined);
      const second = await openWriter(store, "s", { owner: "second" });
      assert.ok(second.fence > writer.fence);
    },
  );

  check("keeps a log busy while its writer is open, even without appends", async ({ store, place }) => {
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

  check("frees the log of a silent writer after its lease, but not of a writer that appends", async (context) => {
    const { store, place } = context;
    if (place.stall === undefined) return;
    const writer = await openWriter(store, "s", { owner: "first" });
    await place.stall(place.leaseMs - 1);
    await writer.append(seal([draft("message")]));
    await place.stall(place.leaseMs - 1);
    assert.equal((await store.openWriter("s", { owner: "second" })).kind, "busy");
    await place.stall(1);
    assert.equal(await store.writerOf("s"), undefined);
    assert.equal((await store.openWriter("s", { owner: "second" })).kind, "opened");
  });

  check("fences a stalled writer that was replaced, and ignores its lease", async (context) => {
    const { store, place } = context;
    if (place.stall === undefined) return;
    const first = await openWriter(store, "s", { owner: "first" });
    await place.stall(place.leaseMs);
    const other = await place.open();
    const second = await openWriter(other, "s", { owner: "second" });
    // The writer and the renewal of its leases continue.
    await place.advanceClock(5 * place.leaseMs);
    const fenced = { kind: "fenced", owner: "second", fence: second.fence };
    assert.deepEqual(await first.append(seal([draft("message")])), fenced);
    assert.equal((await store.writerOf("s"))?.owner, "second");
    await second.close();
    assert.equal(await store.writerOf("s"), undefined);
    assert.equal((await first.append(seal([draft("message")]))).kind, "fenced");
    await first.close();
    await other.close();
  });

  check("refuses all changes of a replaced writer, at any time of the clock", async ({ store, place }) => {
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
  });

  check("shares logs and writers between two stores of one place", async ({ store, place }) => {
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

  check("lets only the last of many racing writers write", async ({ store }) => {
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

/** Tests that every store finds the same words. */
export function testSearch(check: StoreCheck): void {
  check("finds the entries with all words of a query, newest first", async ({ store, place }) => {
    const writer = await openWriter(store, "s");
    assert.deepEqual(await writer.search("anything", { limit: 9 }), []);
    await writer.append(
      seal([
        messageDraft("The connection timed out."),
        messageDraft("max_tokens is 4096"),
        draft("request"),
        messageDraft("Café: 日本語のテスト"),
        messageDraft("connected, and 4096 bytes sent"),
      ]),
    );
    const find = async (query: string, options: Partial<SearchOptions> = {}, reader: LogReader = writer) =>
      (await reader.search(query, { limit: 9, ...options })).map(({ sequence }) => sequence);
    assert.deepEqual(await find("connect"), [5, 1]);
    assert.deepEqual(await find("CONNECT", { limit: 1 }), [5]);
    assert.deepEqual(await find("connect", { to: 4 }), [1]);
    assert.deepEqual(await find("connect", { from: 2 }), [5]);
    assert.deepEqual(await find("4096 connected"), [5]);
    assert.deepEqual(await find("max_tokens"), [2]);
    assert.deepEqual(await find("tokens_max"), []);
    assert.deepEqual(await find('"timed out"'), [1]);
    assert.deepEqual(await find('"out timed"'), []);
    assert.deepEqual(await find("cafe"), [4]);
    assert.deepEqual(await find("本語"), [4]);
    assert.deepEqual(await find("语本"), []);
    const [hit] = await writer.search("4096 bytes", { limit: 9 });
    assert.ok(hit?.snippet.includes("4096 bytes"), hit?.snippet);
    await writer.close();
    const again = await place.open();
    assert.deepEqual(await find("connect", {}, await openReader(again, "s")), [5, 1]);
    await again.close();
  });

  check("treats any query as plain words", async ({ store }) => {
    const writer = await openWriter(store, "s");
    await writer.append(seal([messageDraft("near or not"), messageDraft("words: column")]));
    for (const query of [
      '"',
      "*",
      "NEAR(",
      "a AND",
      "words:x",
      "-near",
      "^near",
      "(",
      "near*",
      "';--",
      "\0",
      "{a b}: c",
      "",
    ]) {
      await writer.search(query, { limit: 9 });
    }
    assert.deepEqual(await sequences(writer, "near or not"), [1]);
    assert.deepEqual(await sequences(writer, "NOT near"), [1]);
    assert.deepEqual(await sequences(writer, "words:column"), [2]);
    assert.deepEqual(await sequences(writer, "near column"), []);
    assert.deepEqual(await sequences(writer, '" ; * "'), []);
  });

  check("finds entries in a long log, and entries that are appended between searches", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const entries = seal(Array.from({ length: 300 }, (_, index) => messageDraft(`number${index + 1} of all`)));
    await writer.append(entries);
    assert.deepEqual(await sequences(writer, "number77"), [77]);
    assert.deepEqual(await sequences(writer, "all"), [300, 299, 298, 297, 296, 295, 294, 293, 292]);
    await writer.append(seal([messageDraft("number77 again")], headOf(entries)));
    assert.deepEqual(await sequences(writer, "number77"), [301, 77]);
  });
}

import { describe, expect, test } from "vitest";
import type { Block } from "../log/block.ts";
import { EMPTY_LOG, type Entry, sealEntries, toDraft } from "../log/entry.ts";
import type { MessagePayload } from "../log/payload.ts";
import { anthropic } from "../providers/anthropic.ts";
import { openSession } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import { openOffline } from "../session/testing/open-offline.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import type { LogReader, Store } from "../stores/store.ts";
import type { View } from "../view/view.ts";
import { branchRanges, findBranch, isOnBranch, loadView, stubOf } from "./load.ts";

const summary = { role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" } as const;

async function begin(): Promise<{ store: Store; session: Session }> {
  const store = memoryStore({ leaseMs: 0 });
  // These tests send nothing.
  const session = await openSession({ store, id: "s", provider: anthropic({} as never), model: "claude-opus-5-5" });
  return { store, session };
}

/** A reader that counts the entries that it returns. */
async function countingReader(store: Store): Promise<LogReader & { readonly count: () => number }> {
  const reader = (await store.openReader("s"))!;
  let count = 0;
  const counted = <Result extends Entry | readonly Entry[] | undefined>(result: Result): Result => {
    count += result === undefined ? 0 : Array.isArray(result) ? result.length : 1;
    return result;
  };
  return {
    ...reader,
    count: () => count,
    read: async (from, to) => counted(await reader.read(from, to)),
    newest: async (kind, below) => counted(await reader.newest(kind, below)),
    async readBatch(options) {
      const batch = await reader.readBatch(options);
      count += batch.entries.length + batch.newest.size;
      return batch;
    },
  };
}

const texts = ({ items }: View): string[] =>
  items.flatMap((item) => (item.kind === "seal" ? [] : item.blocks.map((block) => (block as { text: string }).text)));

async function load(store: Store): Promise<View> {
  const reader = (await store.openReader("s"))!;
  return (await loadView(reader, (await reader.head()).sequence)).view;
}

describe("loadView", () => {
  test("starts at the newest boundary, and reads no earlier entry", async () => {
    const { store, session } = await begin();
    const numbers = await session.append(Array.from({ length: 2_000 }, (_, index) => `message ${index}`));
    await session.history.fold({ from: numbers[0]!, to: numbers.at(-3)! }, [summary], "test");
    await session.append("after");
    const reader = await countingReader(store);
    const { view } = await loadView(reader, session.history.newestEntry);
    expect(texts(view)).toEqual(["Earlier.", "message 1998", "message 1999", "after"]);
    expect(reader.count()).toBeLessThan(20);
  });

  test("restores the range of an undone boundary, and keeps later content", async () => {
    const { store, session } = await begin();
    const [one, two] = await session.append(["one", "two"]);
    await session.history.fold({ from: one!, to: two! }, [summary], "first");
    const [three] = await session.append("three");
    const second = await session.history.fold({ from: one!, to: three! }, [summary], "second");
    await session.append("four");
    expect(texts(await load(store))).toEqual(["Earlier.", "four"]);
    await session.history.restore(second);
    expect(texts(await load(store))).toEqual(["Earlier.", "three", "four"]);
  });

  test("undoes a replacement that a boundary keeps", async () => {
    const { store, session } = await begin();
    const [one, two, three] = await session.append(["one", "two", "three"]);
    const stub = await session.history.replace(
      { from: three!, to: three! },
      [{ ...summary, origin: "host" }],
      "cleared",
    );
    await session.history.fold({ from: one!, to: two! }, [summary], "test");
    expect(texts(await load(store))).toEqual(["Earlier.", "Earlier."]);
    await session.history.restore(stub);
    expect(texts(await load(store))).toEqual(["Earlier.", "three"]);
  });

  test("leaves later entries on their own branch after a rewind, and returns to that branch by another rewind", async () => {
    const { store, session } = await begin();
    const [one] = await session.append("one");
    const [two] = await session.append("two");
    await session.history.rewind(one!);
    await session.append("other two");
    expect(texts(await load(store))).toEqual(["one", "other two"]);
    await session.history.rewind(two!);
    expect(texts(await load(store))).toEqual(["one", "two"]);
  });

  test("follows a rewind whose payload was erased", async () => {
    const { store, session } = await begin();
    const [one] = await session.append("one");
    await session.append("left behind");
    await session.history.rewind(one!);
    const rewind = session.history.newestEntry;
    await session.append("two");
    await session.close();
    const opened = await store.openWriter("s", { owner: "eraser", takeover: "always" });
    if (opened.kind !== "opened") throw new Error("the store lets anyone take over");
    await opened.writer.erase(rewind);
    expect(texts(await load(store))).toEqual(["one", "two"]);
  });

  describe("shows the earlier range if a decision is undone after a boundary", () => {
    const stub = { ...summary, blocks: [{ kind: "text", text: "Stub." }] } as const;
    /** Returns the shown content after a boundary over one entry, and after the decision is undone. */
    async function takeBack({ store, session }: Awaited<ReturnType<typeof begin>>, folded: number, decision: number) {
      await session.history.fold({ from: folded, to: folded }, [summary], "test");
      const before = texts(await load(store));
      await session.history.restore(decision);
      return { before, after: texts(await load(store)) };
    }

    test("without content of another branch", async () => {
      const begun = await begin();
      const { session } = begun;
      const [one, two] = await session.append(["one", "two"]);
      await session.append("left behind");
      await session.history.rewind(two!);
      const [three] = await session.append("three");
      const decision = await session.history.replace({ from: two!, to: three! }, [stub], "test");
      expect((await takeBack(begun, one!, decision)).after).toEqual(["Earlier.", "two", "three"]);
    });

    test("with the decisions in effect before it", async () => {
      const begun = await begin();
      const { session } = begun;
      const [one, two, three] = await session.append(["one", "two", "three"]);
      await session.history.replace({ from: two!, to: two! }, [stub], "inner");
      const outer = await session.history.replace({ from: two!, to: three! }, [stub], "outer");
      expect((await takeBack(begun, one!, outer)).after).toEqual(["Earlier.", "Stub.", "three"]);
    });

    test("even if the decision had hidden the range", async () => {
      const begun = await begin();
      const { session } = begun;
      const [one, two] = await session.append(["one", "two", "three"]);
      const decision = await session.history.replace({ from: two!, to: two! }, [], "hidden");
      expect(await takeBack(begun, one!, decision)).toEqual({
        before: ["Earlier.", "three"],
        after: ["Earlier.", "two", "three"],
      });
    });

    test("replaces and restores an item of several entries as a whole", async () => {
      const begun = await begin();
      const { session } = begun;
      const [one, two, three, four] = await session.append(["one", "two", "three", "four"]);
      await session.history.replace({ from: two!, to: three! }, [stub], "inner");
      const outer = await session.history.replace({ from: three!, to: four! }, [stub], "overlapping");
      expect((await takeBack(begun, one!, outer)).after).toEqual(["Earlier.", "Stub.", "four"]);
    });
  });

  test("skips entries from a later release and keeps them", async () => {
    const { store, session } = await begin();
    await session.append("one");
    const opened = await store.openWriter("s", { owner: "later release", takeover: "always" });
    if (opened.kind !== "opened") throw new Error("the store lets anyone take over");
    const head = await opened.writer.head();
    const later = { kind: "prophecy", version: 9, payload: '{"of":"rain"}' };
    await opened.writer.append(sealEntries([later], { head, atMs: 0, digest: sha256 }));
    expect(texts(await load(store))).toEqual(["one"]);
    const [kept] = await opened.writer.read(head.sequence + 1, head.sequence + 1);
    expect(kept?.payload).toBe('{"of":"rain"}');
  });

  test("returns an empty view for an empty log", async () => {
    const store = memoryStore();
    await store.openWriter("s", { owner: "test" });
    expect((await load(store)).items).toEqual([]);
  });

  test("reads a log with an invalid reference in its configuration as far as possible", async () => {
    const store = memoryStore();
    const opened = await store.openWriter("s", { owner: "test" });
    if (opened.kind !== "opened") throw new Error("a new log is free");
    const message: MessagePayload = { role: "user", blocks: [{ kind: "text", text: "one" }], origin: "human" };
    const drafts = [
      toDraft("message", message),
      toDraft("configuration", {
        provider: "p",
        model: "m",
        parameters: {},
        cause: "test",
        system: { heldBy: 1 },
        tools: { value: [] },
      }),
    ];
    await opened.writer.append(sealEntries(drafts, { head: EMPTY_LOG, atMs: 0, digest: sha256 }));
    const view = await load(store);
    expect(texts(view)).toEqual(["one"]);
    expect(view.configuration).toBeUndefined();
  });
});

test("shows the content of a decision once, even after boundaries of several processes", async () => {
  const { store, session } = await begin();
  const [one, two, , four] = await session.append(["one", "two", "three", "four", "five"]);
  const short = { role: "user", origin: "human", blocks: [{ kind: "text", text: "two, in short" }] } as const;
  await session.history.replace({ from: two!, to: two! }, [short], "test");
  await session.history.fold({ from: one!, to: one! }, [summary], "test");
  expect(texts(await load(store))).toEqual(["Earlier.", "two, in short", "three", "four", "five"]);
  const again = await openOffline(store);
  await again.history.fold({ from: four!, to: four! }, [{ ...summary, blocks: [{ kind: "text", text: "4" }] }], "test");
  const expected = ["Earlier.", "two, in short", "three", "4", "five"];
  expect(texts(await load(store))).toEqual(expected);
  await (await openOffline(store)).append("six");
  expect(texts(await load(store))).toEqual([...expected, "six"]);
});

describe("findBranch and branchRanges", () => {
  const summary = { role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" } as const;

  async function open() {
    const store = memoryStore();
    const session = await openOffline(store);
    const log = (await store.openReader("s"))!;
    return { session, log, newest: () => session.history.newestEntry };
  }

  test("yields the ranges of a branch without gaps, newest first, and skips rewound entries", async () => {
    const { session, log, newest } = await open();
    const [one, two, three] = await session.append(["one", "two", "three"]);
    expect(await Array.fromAsync(branchRanges(log, newest()))).toEqual([{ from: 1, to: three }]);
    await session.history.rewind(one!);
    const [four] = await session.append("four");
    const expected = [
      { from: three! + 1, to: four! },
      { from: 1, to: one! },
    ];
    expect(await Array.fromAsync(branchRanges(log, newest()))).toEqual(expected);
    expect((await findBranch(log, newest())).ranges).toEqual(expected.toReversed());
    const onBranch = async (entry: number, at: number) => isOnBranch(log, entry, at);
    expect(await Promise.all([one!, two!, three!, four!].map((entry) => onBranch(entry, newest())))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    // From its own branch, the entry is still on the branch.
    expect(await onBranch(two!, three!)).toBe(true);
    expect(await onBranch(three!, two!)).toBe(false);
    expect(await Array.fromAsync(branchRanges(log, 0))).toEqual([]);
  });

  test("ends the walk at a boundary that is in effect", async () => {
    const { session, log, newest } = await open();
    const [one, two] = await session.append(["one", "two"]);
    const boundary = await session.history.fold({ from: one!, to: one! }, [summary], "test");
    const at = await findBranch(log, newest());
    expect([at.boundary?.sequence, at.ranges, at.undone.size]).toEqual([boundary, [], 0]);
    const [three] = await session.append("three");
    expect(await findBranch(log, newest())).toMatchObject({ ranges: [{ from: boundary + 1, to: three }] });
    await session.history.restore(boundary);
    const restored = await findBranch(log, newest());
    expect(restored).toMatchObject({ boundary: undefined, ranges: [{ from: 1, to: newest() }] });
    expect([...restored.undone]).toEqual([boundary]);
    // The boundary is in effect before the restore, and does not exist before the fold.
    expect((await findBranch(log, three!)).boundary?.sequence).toBe(boundary);
    expect(await findBranch(log, two!)).toMatchObject({ boundary: undefined, ranges: [{ from: 1, to: two }] });
  });
});

const SECRET = "correct horse";
const stub = (...blocks: readonly Block[]) =>
  stubOf({
    kind: "message",
    sequence: 7,
    payload: {
      role: "user",
      origin: "human",
      blocks,
      stored: { file: "a.txt", bytes: 1, lines: 1, digest: SECRET },
    },
  } as never);
const text: Block = { kind: "text", text: "[Entry 7 was erased.]" };

test("replaces text by a notice, keeps the author, and drops the reference to the file", () => {
  expect(stub({ kind: "text", text: SECRET })).toEqual({
    was: "message",
    entry: 7,
    stub: { role: "user", origin: "human", blocks: [text] },
  });
  const given = { type: "note", blocks: [{ kind: "text", text: SECRET }], provenance: { kind: "host" } };
  const attached = stubOf({ kind: "attachment", sequence: 7, payload: given } as never);
  expect(attached).toEqual({ was: "attachment", entry: 7, stub: { ...given, blocks: [text] } });
});

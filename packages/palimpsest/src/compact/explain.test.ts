import { expect, test } from "vitest";
import { HEAD } from "../log/messages.ts";
import { openOffline } from "../session/testing/open-offline.ts";
import { memoryStore } from "../stores/memory-store.ts";

const text = (words: string, more: object = {}) =>
  ({ role: "user", origin: "summary", blocks: [{ kind: "text", text: words }], ...more }) as const;

async function open() {
  const session = await openOffline(memoryStore());
  const entries = (await session.append(["One.", "Two.", "Three.", "Four."])) as [number, number, number, number];
  const { history } = session;
  const told = async (limit?: number) =>
    (await history.explain(limit)).map(({ boundary, inEffect }) => [boundary, inEffect]);
  return { session, history, entries, told };
}

test("a boundary tells what went in, what came out of it, and why", async () => {
  const { history, entries } = await open();
  expect(await history.explain()).toEqual([]);
  const [one, two] = entries;
  const head = text("Mind the gap.", { origin: "host", attachment: HEAD });
  const boundary = await history.fold({ from: one, to: two }, [head, text("They"), text("greeted.")], "done");
  const [explained] = await history.explain();
  expect(explained).toMatchObject({ boundary, from: one, to: two, because: "done", inEffect: "yes" });
  // What the host has put at the head was not made of it.
  expect(explained!.shownAs).toBe("They\ngreeted.");
  expect(explained!.atMs).toBeGreaterThan(0);
  expect(explained).toEqual(expect.not.objectContaining({ compaction: expect.anything() }));
});

test("the newest come first, as many as were asked for; one that is folded again is told as such", async () => {
  const { history, entries, told } = await open();
  const [one, two, three, four] = entries;
  const first = await history.fold({ from: one, to: two }, [text("A.")], "first");
  const second = await history.fold({ from: one, to: three }, [text("B.")], "second");
  const third = await history.fold({ from: four, to: four }, [text("C.")], "third");
  const all = [
    [third, "yes"],
    [second, "yes"],
    [first, "compacted-again"],
  ];
  expect(await told()).toEqual(all);
  expect(await told(2)).toEqual(all.slice(0, 2));
  expect(await told(3)).toEqual(all);
});

test("one that was restored, or lies on a branch that was left, is taken back; what was before it is not", async () => {
  const { session, history, entries, told } = await open();
  const [one, two, three] = entries;
  const kept = await history.fold({ from: one, to: one }, [text("A.")], "kept");
  const restored = await history.fold({ from: two, to: two }, [text("B.")], "restored");
  await history.restore(restored);
  expect(await told()).toEqual([
    [restored, "taken-back"],
    [kept, "yes"],
  ]);
  const point = history.newestEntry;
  const left = await history.fold({ from: three, to: three }, [text("C.")], "left");
  await history.rewind(point);
  await session.append("Five.");
  const after = await history.fold({ from: three, to: three }, [text("D.")], "after");
  expect(await told()).toEqual([
    [after, "yes"],
    [left, "taken-back"],
    [restored, "taken-back"],
    [kept, "yes"],
  ]);
});

test("a boundary at the entry that a session goes back to stays", async () => {
  const { session, history, entries, told } = await open();
  const boundary = await history.fold({ from: entries[0], to: entries[0] }, [text("A.")], "kept");
  await session.append("Five.");
  await history.rewind(boundary);
  expect(await told()).toEqual([[boundary, "yes"]]);
});

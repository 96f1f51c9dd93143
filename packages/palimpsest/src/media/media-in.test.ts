import fc from "fast-check";
import { expect, test } from "vitest";
import { toItem, type View } from "../view/view.ts";
import { createByteIndex } from "./media.ts";

test("counts the bytes that a client sends, in any script", () => {
  const texts = fc.array(
    fc.string({ unit: fc.constantFrom("a", '"', "é", "ש", "字", "\u2028", "🙂", "🏿", "\ud83d") }),
  );
  fc.assert(
    fc.property(texts, (list) => {
      const messages = list.map((text) => [{ kind: "text", text }]);
      const index = createByteIndex();
      const items = messages.map((blocks) => ({ kind: "message", blocks }));
      index.update({ items, configuration: undefined, changedAt: 0 } as unknown as View);
      const sent = messages.map((blocks) => Buffer.byteLength(JSON.stringify(blocks)));
      expect(index.totalBytes).toBe(sent.reduce((sum, bytes) => sum + bytes, createByteIndex().totalBytes));
    }),
  );
});

test.each(["\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"])(
  "counts the bytes at the limits of each width: %o",
  (one) => {
    const index = createByteIndex();
    const before = index.totalBytes;
    const blocks = [{ kind: "text", text: one }] as const;
    const items = [toItem({ from: 1, to: 1, role: "user", origin: "human", blocks })];
    index.update({ items, configuration: undefined, changedAt: 0 } as unknown as View);
    expect(index.totalBytes - before).toBe(Buffer.byteLength(JSON.stringify(blocks)));
  },
);

test("counts new items once, and changed items again", () => {
  const item = (from: number, text: string) =>
    toItem({ from, to: from, role: "user", origin: "human", blocks: [{ kind: "text", text }] });
  const bytes = (text: string): number => Buffer.byteLength(JSON.stringify([{ kind: "text", text }]));
  const view = { items: [item(1, "one")], configuration: { system: "Be brief.", tools: [] }, changedAt: 0 };
  const index = createByteIndex();
  const update = () => index.update(view as unknown as View);
  update();
  const head = index.totalBytes - bytes("one");
  expect(head).toBe(JSON.stringify(["Be brief.", []]).length);
  view.items.push(item(2, "two more"));
  update();
  update();
  expect(index.totalBytes).toBe(head + bytes("one") + bytes("two more"));
  Object.assign(view, { items: [item(1, "short")], changedAt: 3 });
  update();
  expect(index.totalBytes).toBe(head + bytes("short"));
  view.configuration = { system: "Be very brief.", tools: [] };
  update();
  expect(index.totalBytes).toBe(head + 5 + bytes("short"));
});

test("does not read counted items again", () => {
  let reads = 0;
  const item = toItem({ from: 1, to: 1, role: "user", origin: "human", blocks: [{ kind: "text", text: "one" }] });
  const counted = {
    ...item,
    get blocks() {
      reads++;
      return item.blocks;
    },
  };
  const view = { items: [counted as typeof item], configuration: undefined, changedAt: 0 };
  const index = createByteIndex();
  index.update(view as unknown as View);
  const readsAtFirst = reads;
  view.items.push(item);
  index.update(view as unknown as View);
  expect(reads).toBe(readsAtFirst);
});

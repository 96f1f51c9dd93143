import { expect, test } from "vitest";
import { attachment, notice, toolResult } from "../log/messages.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Store } from "../stores/store.ts";
import { countReads } from "../stores/testing/stores.ts";
import { openOffline } from "./testing/open-offline.ts";

const open = (store: Store = memoryStore()) => openOffline(store);
const assistant = (text: string) =>
  ({ role: "assistant", origin: "model", blocks: [{ kind: "text", text }], model: "m" }) as const;
const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "They greeted." }] } as const;
const call = {
  role: "assistant",
  origin: "model",
  blocks: [{ kind: "tool_call", id: "a", name: "look", input: {} }],
} as const;

test("lists messages with author, content, time and visibility for the model", async () => {
  const session = await open();
  const [one, two] = await session.append(["Hello.", assistant("Hello to you.")]);
  const [three, , five] = await session.append(["Look.", call, toolResult("a", "x ".repeat(40_000))]);
  const [six, seven] = await session.append(["And now?", notice("for the user")]);
  const decision = await session.history.fold({ from: one!, to: two! }, [summary], "test");
  const snipped = await session.history.snip({ from: six!, to: six! }, "a wrong turn");
  const { messages, earlier } = await session.messages();
  expect(earlier).toBeUndefined();
  expect(messages.map(({ entry, role, origin, shown }) => [entry, role, origin, shown])).toEqual([
    [one, "user", "human", "compacted"],
    [two, "assistant", "model", "compacted"],
    [three, "user", "human", "whole"],
    [three! + 1, "assistant", "model", "whole"],
    [five, "user", "tool", "stored"],
    [six, "user", "human", "cleared"],
    [seven, "user", "host", "user-only"],
  ]);
  expect(messages[0]).toMatchObject({
    decision,
    reason: "test",
    blocks: [{ text: "Hello." }],
    atMs: expect.any(Number),
  });
  expect(messages[1]).toMatchObject({ model: "m" });
  expect(messages[4]!.stored).toMatchObject({ bytes: 80_000 });
  expect(messages[5]).toMatchObject({ decision: snipped, reason: "snipped: a wrong turn" });
  await session.history.restore(snipped);
  await session.history.restore(decision);
  expect((await session.messages()).messages.map(({ shown }) => shown)).toEqual([
    "whole",
    "whole",
    "whole",
    "whole",
    "stored",
    "whole",
    "user-only",
  ]);
});

test("names the decision that hides a message completely", async () => {
  const session = await open();
  const [one] = await session.append(["Hello.", "And?"]);
  const decision = await session.history.replace({ from: one!, to: one! }, [], "not needed");
  const [first] = (await session.messages()).messages;
  expect(first).toMatchObject({ entry: one, shown: "cleared", decision, reason: "not needed" });
});

test("leaves out rewound messages, and lists attachments only on request", async () => {
  const session = await open();
  await session.append(["One.", attachment("note", "Mind the gap.")]);
  const point = session.history.newestEntry;
  await session.append(["Two.", "Three."]);
  await session.history.rewind(point);
  await session.append("Four.");
  const texts = async (options = {}) =>
    (await session.messages(options)).messages.map(({ blocks, attachment: type }) => [
      blocks[0]?.kind === "text" ? blocks[0].text : "",
      type,
    ]);
  expect(await texts()).toEqual([
    ["One.", undefined],
    ["Four.", undefined],
  ]);
  expect(await texts({ attachments: "with" })).toEqual([
    ["One.", undefined],
    ["Mind the gap.", "note"],
    ["Four.", undefined],
  ]);
});

test("returns consecutive pages, and reads only as far back as a page reaches", async () => {
  const store = memoryStore();
  const writing = await open(store);
  for (let batch = 0; batch < 20; batch++) {
    await writing.append(Array.from({ length: 100 }, (_, index) => `Message ${batch * 100 + index}.`));
    const point = writing.history.newestEntry;
    await writing.append("A wrong turn.");
    await writing.history.rewind(point);
  }
  await writing.close();
  const counting = countReads(store);
  const session = await open(counting.store);
  const texts: string[] = [];
  for (let before: number | undefined = session.history.newestEntry + 1; before !== undefined; ) {
    const start = counting.read;
    const page = await session.messages({ before, limit: 70 });
    expect(counting.read - start).toBeLessThan(500);
    expect(page.messages.length).toBeLessThanOrEqual(70);
    texts.unshift(...page.messages.map(({ blocks }) => (blocks[0] as { text: string }).text));
    before = page.earlier;
  }
  expect(texts).toEqual(Array.from({ length: 2_000 }, (_, index) => `Message ${index}.`));
  await expect(session.messages({ limit: 0 })).rejects.toThrow(/at least 1/);
});

const SUMMARY = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "They greeted." }] } as const;

test.each<["replace" | "fold", string, readonly (typeof SUMMARY)[], string]>([
  ["replace", "not needed", [], "cleared"],
  ["replace", "not needed", [SUMMARY], "cleared"],
  ["replace", "stored in a file", [SUMMARY], "stored"],
  ["replace", "not stored", [SUMMARY], "cleared"],
  ["fold", "stored in a file", [SUMMARY], "compacted"],
  ["fold", "done", [], "compacted"],
])(
  "lists a range after %s with the reason %s by %j as %s, from its first to its last entry",
  async (kind, reason, by, shown) => {
    const session = await openOffline(memoryStore());
    const [, two, , four] = (await session.append(["1", "2", "3", "4", "5"])) as [number, number, number, number];
    const decision = await session.history[kind]({ from: two, to: four }, by, reason);
    const expected = { shown, decision, reason };
    const { messages } = await session.messages();
    expect(messages).toMatchObject([{ shown: "whole" }, expected, expected, expected, { shown: "whole" }]);
    for (const message of [messages[0], messages[4]]) expect(message).not.toHaveProperty("decision");
  },
);

import { expect, test } from "vitest";
import { memoryStore } from "../../stores/memory-store.ts";
import { openOffline } from "../testing/open-offline.ts";
import type { SyncMessage } from "./sync-message.ts";

test("an answer that follows another is new, and not the other in new words", async () => {
  const store = memoryStore();
  const list: readonly SyncMessage[] = [
    { role: "user", content: "What is there?" },
    { role: "assistant", content: "A tree." },
  ];
  await (await openOffline(store)).sync(list);
  // Another process: it compares the whole list.
  const session = await openOffline(store);
  const longer: readonly SyncMessage[] = [...list, { role: "assistant", content: "And a house." }];
  const synced = await session.sync(longer);
  expect(synced).toMatchObject({ kept: 2, altered: [] });
  expect(synced.appended).toHaveLength(1);
  await session.append("Go on.");
  expect(JSON.stringify((await session.prepare()).messages)).toMatch(/A tree\..*And a house\./);
});

import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { expect, test } from "vitest";
import { snapshotStore } from "./snapshot-store.ts";

// Nothing is sent here.
const provider = anthropic({} as never);
const open = (store: ReturnType<typeof memoryStore>, system: string) =>
  openSession({ store, id: "s", provider, model: "claude-opus-5-5", system, settings: {} });

test("a session is read while it is written, and what the reader writes is forgotten", async () => {
  const store = memoryStore();
  const writer = await open(store, "Be brief.");
  await writer.append("One.");
  const { newestEntry } = writer.history;
  // Another configuration is written on opening.
  const reader = await open(snapshotStore(store), "Be long.");
  expect(reader.history.newestEntry).toBeGreaterThan(newestEntry);
  await reader.append("Only here.");
  await reader.history.rewind(newestEntry);
  await writer.append("Two.");
  const texts = async (session: typeof reader) =>
    (await session.messages()).messages.map(({ blocks: [block] }) => (block?.kind === "text" ? block.text : ""));
  expect(await texts(reader)).toEqual(["One."]);
  await reader.close();
  expect(await texts(writer)).toEqual(["One.", "Two."]);
  const again = await open(snapshotStore(store), "Be brief.");
  expect(await texts(again)).toEqual(["One.", "Two."]);
  await expect(snapshotStore(store).delete("s")).rejects.toThrow(/snapshot/);
  await expect(open(snapshotStore(memoryStore()), "x")).rejects.toThrow(/no session s/);
});

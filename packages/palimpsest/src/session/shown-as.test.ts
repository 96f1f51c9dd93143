import { expect, test } from "vitest";
import { memoryStore } from "../stores/memory-store.ts";
import { openOffline } from "./testing/open-offline.ts";

const SUMMARY = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "They greeted." }] } as const;

test.each<["replace" | "fold", string, readonly (typeof SUMMARY)[], string]>([
  ["replace", "not needed", [], "cleared"],
  ["replace", "not needed", [SUMMARY], "cleared"],
  ["replace", "stored in a file", [SUMMARY], "stored"],
  ["replace", "not stored", [SUMMARY], "cleared"],
  ["fold", "stored in a file", [SUMMARY], "compacted"],
  ["fold", "done", [], "compacted"],
])("%s because it is %s, by %j: from the first to the last of the range it is %s", async (kind, reason, by, shown) => {
  const session = await openOffline(memoryStore());
  const [, two, , four] = (await session.append(["1", "2", "3", "4", "5"])) as [number, number, number, number];
  const decision = await session.history[kind]({ from: two, to: four }, by, reason);
  const told = { shown, decision, reason };
  const { messages } = await session.messages();
  expect(messages).toMatchObject([{ shown: "whole" }, told, told, told, { shown: "whole" }]);
  for (const message of [messages[0], messages[4]]) expect(message).not.toHaveProperty("decision");
});

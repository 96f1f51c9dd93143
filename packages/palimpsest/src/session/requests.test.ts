import { expect, test } from "vitest";
import { memoryStore } from "../stores/memory-store.ts";
import { openOffline } from "./testing/open-offline.ts";

test.each([
  ["that has an hour of its own does not count for the messages", "1h", ["1h", "5m"]],
  ["that has the lifetime of the messages counts with them", "same", ["1h", "1h"]],
] as const)("a long system prompt %s, where their lifetime is chosen by size", async (_, headTtl, expected) => {
  const session = await openOffline(memoryStore(), {
    system: "You are a careful engineer. ".repeat(8_000),
    settings: { "cache.ttl": "auto", "cache.headTtl": headTtl },
    settingsFrom: { environment: {} },
  });
  await session.append("Go on.");
  const { system, messages } = await session.prepare();
  const marks = JSON.stringify([system, messages]).match(/"cache_control":\{[^}]*\}/g) ?? [];
  expect(marks.map((mark) => (mark.includes("1h") ? "1h" : "5m"))).toEqual(expected);
});

import { expect, test } from "vitest";
import { memoryStore } from "./memory-store.ts";
import { testStore } from "./test-store.ts";

testStore({
  test,
  async place() {
    let nowMs = 0;
    const leaseMs = 1_000;
    const store = memoryStore({ clock: { now: () => nowMs }, leaseMs });
    const advanceClock = (byMs: number): void => {
      nowMs += byMs;
    };
    return { open: async () => store, advanceClock, leaseMs, remove: async () => {} };
  },
});

test("two memory stores never meet", async () => {
  const [one, other] = [memoryStore(), memoryStore()];
  await one.openWriter("s", { owner: "me" });
  expect(await other.list()).toEqual({ sessions: [] });
});

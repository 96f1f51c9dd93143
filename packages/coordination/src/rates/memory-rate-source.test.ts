import { test } from "vitest";
import { testRateSource } from "../test-rate-source.ts";
import { memoryRateSource } from "./memory-rate-source.ts";

testRateSource({
  test,
  async place() {
    let nowMs = 1_800_000_000_000;
    const source = memoryRateSource({ clock: { now: () => nowMs } });
    return {
      open: async () => source,
      bucket: { key: "key", model: "model" },
      advanceClock(byMs) {
        nowMs += byMs;
      },
    };
  },
});

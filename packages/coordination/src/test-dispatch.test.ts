import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "palimpsest";
import { test } from "vitest";
import type { DispatchWithQueue } from "./dispatch.ts";
import { openDispatch } from "./open-dispatch.ts";
import { growLog, testDispatch } from "./test-dispatch.ts";

testDispatch({
  test,
  async place() {
    const folder = mkdtempSync(join(tmpdir(), "dispatch-"));
    const store = memoryStore();
    const opened: DispatchWithQueue[] = [];
    const [silentAfterMs, maxAttempts] = [10_000, 3];
    let nowMs = 1_800_000_000_000;
    return {
      async open() {
        const file = join(folder, "dispatch.sqlite");
        const clock = { now: () => nowMs };
        const dispatch = await openDispatch({ file, store, clock, silentAfterMs, maxAttempts, pollMs: 50 });
        opened.push(dispatch);
        return dispatch;
      },
      growLog: (session, newestEntry) => growLog(store, session, newestEntry),
      nowMs: () => nowMs,
      advanceClock(byMs) {
        nowMs += byMs;
      },
      silentAfterMs,
      maxAttempts,
      async remove() {
        for (const dispatch of opened) await dispatch.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import type { Coordination } from "./coordination.ts";
import { openCoordination } from "./open-coordination.ts";
import { testCoordination } from "./test-coordination.ts";

testCoordination({
  test,
  async place() {
    const folder = mkdtempSync(join(tmpdir(), "coordination-"));
    const opened: Coordination[] = [];
    let nowMs = 1_800_000_000_000;
    const silentAfterMs = 300_000;
    return {
      async open(options) {
        // As on several machines: nobody can tell whether another process is alive.
        const pid = opened.length + 1;
        const coordination = await openCoordination({
          file: join(folder, "home.sqlite"),
          silentAfterMs,
          ...options,
          clock: { now: () => nowMs },
          processes: {
            self: { pid, started: "s", realm: "r" },
            find: () => ({ kind: "unknown" }),
            ticksMs: () => nowMs,
          },
        });
        opened.push(coordination);
        return coordination;
      },
      nowMs: () => nowMs,
      advanceClock(byMs) {
        nowMs += byMs;
      },
      silentAfterMs,
      async remove() {
        for (const coordination of opened) await coordination.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
});

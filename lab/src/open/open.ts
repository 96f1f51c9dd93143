import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Experiment } from "../experiment.ts";
import { runProcess } from "../run-process.ts";
import { median, round } from "../statistics.ts";
import type { Opened } from "./open-process.ts";
import { openLabSession } from "./open-session.ts";
import { type LogPlan, writeSession } from "./write-session.ts";

const PLANS: Readonly<Record<"quick" | "full", LogPlan>> = {
  full: { batches: 100, roundsPerBatch: 500, resultBytes: 21_000, tailTokens: 150_000 },
  quick: { batches: 10, roundsPerBatch: 150, resultBytes: 14_000, tailTokens: 60_000 },
};
const RUNS = { full: 9, quick: 3 } as const;

/** How long it takes a fresh process to come from a large log to the next request, and what memory that needs. */
export const openExperiment: Experiment = {
  name: "open",
  about: "opening a session of 1 GB and 100,000 entries in a fresh process, up to its first request",
  run: ({ size }) =>
    inTemporaryFolder(async (folder) => {
      const session = await openLabSession(folder);
      const liveHash = await writeSession(session, PLANS[size]);
      const entries = session.history.newestEntry;
      await session.close();
      const runs = Array.from({ length: RUNS[size] }, () => ({
        imported: start(),
        opened: start(folder),
      }));
      const opened = runs.map((run) => run.opened);
      const imported = runs.map((run) => run.imported);
      return {
        log_bytes: bytesIn(folder),
        entries,
        open_ms: round(median(opened.map(({ openMs }) => openMs))),
        rss_mb: round(Math.max(...opened.map(({ rssMb }) => rssMb))),
        equal_to_live: opened.every(({ requestHash }) => requestHash === liveHash),
        // What the same process is before it opens anything; it runs the TypeScript sources, which a user's does not.
        import_ms: round(median(imported.map(({ importMs }) => importMs))),
        rss_import_mb: round(Math.max(...imported.map(({ rssMb }) => rssMb))),
      };
    }),
};

function start(...folder: readonly string[]): Opened {
  return runProcess(new URL("./open-process.ts", import.meta.url), folder);
}

function bytesIn(folder: string): number {
  return globSync("*", { cwd: folder }).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

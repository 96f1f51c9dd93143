import { execFileSync } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { runProcess } from "../run-process.ts";
import { median, round } from "../statistics.ts";
import type { Spilled, SpillWay } from "./spill-process.ts";

const OUTPUT_MB = { full: 500, quick: 20 } as const;
const RUNS = { full: 3, quick: 1 } as const;

/** Compares the cost of storing a tool's output while it arrives with that of writing it to a file. */
export const spillBench: Bench = {
  name: "spill",
  about: "a tool output of 500 MB from a process into its file: memory, and time beside `cat > file`, both synced",
  run: ({ size }) =>
    inTemporaryFolder(async (folder) => {
      const source = join(folder, "output");
      await writeOutput(source, OUTPUT_MB[size]);
      // In turn, so that all meet the same disk.
      const runs = Array.from({ length: RUNS[size] }, () => ({
        stored: take("stored", source, folder),
        storedAlone: take("stored-alone", source, folder),
        read: take("read", source, folder),
        catSeconds: timeShell('cat "$0" > "$1"', source),
        // The same job as ours: through a pipe, into a file, and hashed; by three processes.
        hashedSeconds: timeShell('cat "$0" | tee "$1" | sha256sum', source),
      }));
      const seconds = median(runs.map(({ stored }) => stored.seconds));
      const catSeconds = median(runs.map((run) => run.catSeconds));
      const hashedSeconds = median(runs.map((run) => run.hashedSeconds));
      return {
        bytes: statSync(source).size,
        rss_growth_mb: round(Math.max(...runs.map(({ storedAlone }) => storedAlone.rssGrowthMb))),
        // With the pieces of the pipe that Node has not collected yet, and those alone.
        rss_growth_from_pipe_mb: round(Math.max(...runs.map(({ stored }) => stored.rssGrowthMb))),
        rss_growth_of_pipe_mb: round(Math.max(...runs.map(({ read }) => read.rssGrowthMb))),
        seconds: round(seconds),
        cat_seconds: round(catSeconds),
        ratio_to_cat: round(seconds / catSeconds),
        ratio_to_tee_and_sha256sum: round(seconds / hashedSeconds),
      };
    }),
};

function take(way: SpillWay, source: string, folder: string): Spilled {
  const taken = runProcess<Spilled>(new URL("./spill-process.ts", import.meta.url), [way, source, folder]);
  if (taken.file === undefined) return taken;
  const path = join(folder, "tool-results", "bench", taken.file);
  if (statSync(path).size !== statSync(source).size) throw new Error(`${path} is not what was sent.`);
  rmSync(path);
  return taken;
}

/** A shell command that turns the file `$0` into the file `$1`. */
function timeShell(command: string, source: string): number {
  const target = `${source}.copy`;
  const startedAtMs = performance.now();
  execFileSync("sh", ["-c", `${command} && sync "$1"`, source, target]);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  rmSync(target);
  return seconds;
}

async function writeOutput(path: string, megabytes: number): Promise<void> {
  const file = await open(path, "wx");
  for (let megabyte = 0; megabyte < megabytes; megabyte++) {
    const line = `${megabyte}: a line of what a tool writes, not all of them alike\n`;
    await file.write(line.repeat(Math.ceil(1_000_000 / line.length)).slice(0, 1_000_000));
  }
  await file.close();
}

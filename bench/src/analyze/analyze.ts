import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { runProcess } from "../run-process.ts";
import { round } from "../statistics.ts";
import type { Measured } from "./analyze-process.ts";
import { writeTranscript } from "./write-transcript.ts";

const SIZES = { full: { megabytes: 100, runs: 3 }, quick: { megabytes: 15, runs: 3 } } as const;
const PROCESS = new URL("./analyze-process.ts", import.meta.url);

/** How long a long transcript takes, against reading its lines and parsing them, and how much memory. */
export const analyzeBench: Bench = {
  name: "analyze",
  figures: "counts",
  about: "analysing a transcript of 100 MB, over reading its lines and parsing them; peak memory",
  async run({ size }) {
    const { megabytes, runs } = SIZES[size];
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-analyze-"));
    try {
      const path = join(folder, "session.jsonl");
      await writeTranscript(path, megabytes);
      const [plain, whole]: [Measured[], Measured[]] = [[], []];
      // In turn, so that both see the same machine.
      for (let run = 0; run < runs; run++) {
        plain.push(runProcess<Measured>(PROCESS, ["plain", path]));
        whole.push(runProcess<Measured>(PROCESS, ["analyze", path]));
      }
      const least = (all: readonly Measured[], figure: "seconds" | "cpuSeconds"): number =>
        Math.min(...all.map((one) => one[figure]));
      const most = (all: readonly Measured[]): number => Math.max(...all.map(({ rssMb }) => rssMb));
      return {
        mb: round(statSync(path).size / 1e6),
        responses: whole[0]!.responses,
        // The fastest of each: what is slower was held up by something else. On a busy machine only the processor's time tells.
        seconds: round(least(whole, "seconds")),
        plain_seconds: round(least(plain, "seconds")),
        cpu_seconds: round(least(whole, "cpuSeconds")),
        plain_cpu_seconds: round(least(plain, "cpuSeconds")),
        ratio: round(least(whole, "cpuSeconds") / least(plain, "cpuSeconds")),
        rss_mb: round(most(whole)),
        plain_rss_mb: round(most(plain)),
        equal_responses: whole[0]!.responses === plain[0]!.responses,
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

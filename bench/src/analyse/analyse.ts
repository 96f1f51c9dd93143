import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { runProcess } from "../run-process.ts";
import { median, round } from "../statistics.ts";
import type { Measured } from "./analyse-process.ts";
import { writeTranscript } from "./write-transcript.ts";

const SIZES = { full: { megabytes: 100, runs: 3 }, quick: { megabytes: 15, runs: 3 } } as const;
const PROCESS = new URL("./analyse-process.ts", import.meta.url);

/** How long a long transcript takes, against reading its lines and parsing them, and how much memory. */
export const analyseBench: Bench = {
  name: "analyse",
  about: "analysing a transcript of 100 MB, over reading its lines and parsing them; peak memory",
  async run({ size }) {
    const { megabytes, runs } = SIZES[size];
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-analyse-"));
    try {
      const path = join(folder, "session.jsonl");
      await writeTranscript(path, megabytes);
      const [plain, whole]: [Measured[], Measured[]] = [[], []];
      // In turn, so that both see the same machine.
      for (let run = 0; run < runs; run++) {
        plain.push(runProcess<Measured>(PROCESS, ["plain", path]));
        whole.push(runProcess<Measured>(PROCESS, ["analyse", path]));
      }
      const [plainSeconds, seconds] = [plain, whole].map((all) => median(all.map((one) => one.seconds))) as [
        number,
        number,
      ];
      return {
        ...{
          mb: round(statSync(path).size / 1e6),
          responses: whole[0]!.responses,
          responses_plain: plain[0]!.responses,
        },
        ...{ seconds: round(seconds), plain_seconds: round(plainSeconds), ratio: round(seconds / plainSeconds) },
        ...{
          rss_mb: round(Math.max(...whole.map(({ rssMb }) => rssMb))),
          plain_rss_mb: round(Math.max(...plain.map(({ rssMb }) => rssMb))),
        },
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

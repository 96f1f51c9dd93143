import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Experiment } from "../experiment.ts";
import { median, round } from "../statistics.ts";

const RUNS = { quick: 11, full: 25 } as const;
const NOTHING = "0";
/** Each of these is a start of its own. */
const IMPORTS: Readonly<Record<string, string>> = {
  palimpsest: 'import("palimpsest")',
  "palimpsest/anthropic": 'import("palimpsest/anthropic")',
  "palimpsest/sqlite": 'import("palimpsest/sqlite")',
};

/** Measures the time that loading the built package adds to the start of a process. */
export const importExperiment: Experiment = {
  name: "import",
  about: "milliseconds that importing the built package adds to the start of Node (after `npm run build`)",
  async run({ size }) {
    const times = new Map([NOTHING, ...Object.values(IMPORTS)].map((code) => [code, [] as number[]]));
    for (let run = 0; run < RUNS[size]; run++) {
      // In turn, so that all of them see the same machine.
      for (const [code, timesMs] of times) timesMs.push(startMs(code));
    }
    const emptyMs = median(times.get(NOTHING)!);
    const added = Object.entries(IMPORTS).map(([name, code]) => [name, round(median(times.get(code)!) - emptyMs)]);
    const { palimpsest: importMs, ...others } = Object.fromEntries(added);
    return { import_ms: importMs, node_ms: round(emptyMs), other_subpaths_ms: others };
  },
};

/** In a folder of this package, where the name leads to the built files, as it does for a user's program. */
function startMs(code: string): number {
  const startedAtMs = performance.now();
  const { status } = spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", code], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("The built package cannot be imported. Run `npm run build` first.");
  return performance.now() - startedAtMs;
}

import { spawn } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { percentile, round } from "../statistics.ts";
import type { Served } from "./inspect-process.ts";
import { type RecordingPlan, writeRecording } from "./write-recording.ts";

const PLANS: Readonly<Record<"quick" | "full", RecordingPlan>> = {
  full: { rounds: 25_000, resultBytes: 40_000 },
  quick: { rounds: 2_500, resultBytes: 10_000 },
};
/** The log that the large one is compared with. */
const SMALLER = 100;
const MOVES = 40;

/** How many times each page is loaded: the median counts. */
const PAINTS = 5;

interface Shown extends Served {
  readonly logBytes: number;
  readonly page: Page;
  /** Ends the inspector. @returns the most memory that it had */
  finish(): Promise<number>;
}

/** How long a large log takes to be seen in a browser, against a small one. Both are measured in turns: other work slows both. */
export const inspectBench: Bench = {
  name: "inspect",
  needs: "chromium",
  about: "a log of 1 GB and 100,000 entries in the inspector's page: index, first paint, scrubbing, memory",
  run: ({ size }) =>
    inTemporaryFolder(async (folder) => {
      const plan = PLANS[size];
      const executablePath = process.env["PALIMPSEST_CHROMIUM"] ?? "/usr/bin/chromium";
      const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
      try {
        const smaller = { ...plan, rounds: Math.ceil(plan.rounds / SMALLER) };
        const small = await show(browser, join(folder, "small"), smaller);
        const large = await show(browser, join(folder, "large"), plan);
        const paints = await inTurns(PAINTS, [small, large], paint);
        const scrubs = await inTurns(MOVES, [small, large], scrub);
        await small.finish();
        const rssMb = await large.finish();
        const [smallPaintMs, largePaintMs] = paints.map((times) => percentile(times, 50));
        const [smallScrubMs, largeScrubMs] = scrubs.map((times) => percentile(times, 95));
        return {
          log_bytes: large.logBytes,
          entries: large.entries,
          index_mb_per_s: round(large.logBytes / 1e6 / (large.indexMs / 1_000)),
          open_ms: round(large.openMs),
          first_paint_ms: round(largePaintMs!),
          scrub_p95_ms: round(largeScrubMs!),
          growth: round(Math.max(largePaintMs! / smallPaintMs!, largeScrubMs! / smallScrubMs!)),
          page_kb_gzip: round(pageBytes() / 1e3),
          rss_mb: round(rssMb),
        };
      } finally {
        await browser.close();
      }
    }),
};

async function show(browser: Browser, folder: string, plan: RecordingPlan): Promise<Shown> {
  const log = join(folder, "log");
  await writeRecording(log, plan);
  const logBytes = globSync("*", { cwd: log }).reduce((sum, name) => sum + statSync(join(log, name)).size, 0);
  const script = fileURLToPath(new URL("./inspect-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=palimpsest-source", "--no-warnings", script, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const served = JSON.parse((await lines.next()).value!) as Served;
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
  await page.goto(served.url);
  await page.locator("#shown h2").waitFor();
  return {
    ...served,
    logBytes,
    page,
    async finish() {
      await page.close();
      child.stdin.end();
      return (JSON.parse((await lines.next()).value!) as { rssMb: number }).rssMb;
    },
  };
}

/** Measures all of them once, then all of them again. @returns the times of each */
async function inTurns(
  turns: number,
  shown: readonly Shown[],
  measure: (shown: Shown, turn: number) => Promise<number>,
): Promise<readonly (readonly number[])[]> {
  const times = shown.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, one] of shown.entries()) {
      await one.page.bringToFront();
      times[index]!.push(await measure(one, turn));
    }
  }
  return times;
}

/** Loads the page again: the cookie lets it in. */
async function paint({ page }: Shown): Promise<number> {
  await page.reload();
  await page.locator("#shown h2").waitFor();
  return (await page.evaluate("performance.now()")) as number;
}

async function scrub({ page }: Shown, turn: number): Promise<number> {
  return (await page.evaluate(`(async () => {
    const scrubber = document.querySelector("#scrubber");
    const before = document.querySelector("#shown h2").textContent;
    scrubber.value = String(Math.floor((Number(scrubber.max) * ((${turn} * 37 + 1) % ${MOVES})) / ${MOVES}));
    const startedAtMs = performance.now();
    scrubber.dispatchEvent(new Event("input"));
    while (document.querySelector("#shown h2").textContent === before && performance.now() - startedAtMs < 20_000)
      await new Promise((resolve) => setTimeout(resolve, 1));
    return performance.now() - startedAtMs;
  })()`)) as number;
}

function pageBytes(): number {
  const folder = fileURLToPath(new URL("../../../packages/inspector/page/", import.meta.url));
  return globSync("*", { cwd: folder }).reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length,
    0,
  );
}

import { spawn } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
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

interface Measured extends Served {
  readonly logBytes: number;
  readonly firstPaintMs: number;
  readonly scrubP95Ms: number;
  readonly rssMb: number;
}

/** How long a large log takes to be seen in a browser, against a small one in the same run. */
export const inspectBench: Bench = {
  name: "inspect",
  figures: "waits",
  needs: "chromium",
  about: "a log of 1 GB and 100,000 entries in the inspector's page: index, first paint, scrubbing, memory",
  async run({ size }) {
    const plan = PLANS[size];
    const executablePath = process.env["PALIMPSEST_CHROMIUM"] ?? "/usr/bin/chromium";
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const small = await measure(browser, { ...plan, rounds: Math.ceil(plan.rounds / SMALLER) });
      const large = await measure(browser, plan);
      return {
        log_bytes: large.logBytes,
        entries: large.entries,
        index_mb_per_s: round(large.logBytes / 1e6 / (large.indexMs / 1_000)),
        open_ms: round(large.openMs),
        first_paint_ms: round(large.firstPaintMs),
        scrub_p95_ms: round(large.scrubP95Ms),
        growth: round(Math.max(large.firstPaintMs / small.firstPaintMs, large.scrubP95Ms / small.scrubP95Ms)),
        page_kb_gzip: round(pageBytes() / 1e3),
        rss_mb: round(large.rssMb),
      };
    } finally {
      await browser.close();
    }
  },
};

function measure(browser: Browser, plan: RecordingPlan): Promise<Measured> {
  return inTemporaryFolder(async (folder) => {
    const log = join(folder, "log");
    await writeRecording(log, plan);
    const logBytes = globSync("*", { cwd: log }).reduce((sum, name) => sum + statSync(join(log, name)).size, 0);
    const script = fileURLToPath(new URL("./inspect-process.ts", import.meta.url));
    const child = spawn(process.execPath, ["--conditions=palimpsest-source", "--no-warnings", script, folder], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const served = JSON.parse((await lines.next()).value!) as Served;
    const seen = await look(browser, served.url);
    child.stdin.end();
    const { rssMb } = JSON.parse((await lines.next()).value!) as { rssMb: number };
    return { ...served, ...seen, logBytes, rssMb };
  });
}

async function look(browser: Browser, url: string): Promise<Pick<Measured, "firstPaintMs" | "scrubP95Ms">> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 } });
  await page.goto(url);
  await page.locator("#shown h2").waitFor();
  // Once more with the cookie: the first visit also pays for the browser's start.
  await page.reload();
  await page.locator("#shown h2").waitFor();
  const firstPaintMs = (await page.evaluate("performance.now()")) as number;
  const moves = (await page.evaluate(`(async () => {
    const scrubber = document.querySelector("#scrubber");
    const times = [];
    for (let move = 0; move < ${MOVES}; move++) {
      const before = document.querySelector("#shown h2").textContent;
      scrubber.value = String(Math.floor((Number(scrubber.max) * ((move * 37) % ${MOVES})) / ${MOVES}));
      const startedAtMs = performance.now();
      scrubber.dispatchEvent(new Event("input"));
      while (document.querySelector("#shown h2").textContent === before && performance.now() - startedAtMs < 20_000)
        await new Promise((resolve) => setTimeout(resolve, 1));
      times.push(performance.now() - startedAtMs);
    }
    return times;
  })()`)) as number[];
  await page.close();
  return { firstPaintMs, scrubP95Ms: percentile(moves, 95) };
}

function pageBytes(): number {
  const folder = fileURLToPath(new URL("../../../packages/inspector/page/", import.meta.url));
  return globSync("*", { cwd: folder }).reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length,
    0,
  );
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import type { Experiment } from "../experiment.ts";
import { median, percentile, round } from "../statistics.ts";
import type { Served, Used } from "./inspect-process.ts";
import { type RecordingPlan, writeRecording } from "./write-recording.ts";

const PLANS: Readonly<Record<"quick" | "full", RecordingPlan>> = {
  full: { rounds: 25_000, resultBytes: 40_000 },
  quick: { rounds: 2_500, resultBytes: 10_000 },
};
/** The log that the large one is compared with. */
const SMALLER = 100;
const MOVES = 40;

/** How many times each page is loaded: the median counts. */
const PAINTS = 9;

interface Shown extends Served {
  readonly logBytes: number;
  readonly page: Page;
  /** What the inspector has used until now. */
  used(): Promise<Used>;
  finish(): Promise<void>;
}

interface Measured {
  readonly tookMs: number;
  /** By the inspector and by the browser. */
  readonly processorMs: number;
}

/**
 * What a large log takes to be seen in a browser, against a small one. Times are told. Compared is what was used of the processors: beside
 * other work, a move in the large log waits for them more often (1.7 times as long as in the small one, 1.2 times alone).
 */
export const inspectExperiment: Experiment = {
  name: "inspect",

  about: "a log of 1 GB and 100,000 entries in the inspector's page: index, first paint, scrubbing, memory",
  run: ({ size }) =>
    inTemporaryFolder(async (folder) => {
      const plan = PLANS[size];
      const executablePath = process.env["PALIMPSEST_CHROMIUM"] ?? "/usr/bin/chromium";
      const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
      try {
        const processes = await browser.newBrowserCDPSession();
        const smaller = { ...plan, rounds: Math.ceil(plan.rounds / SMALLER) };
        const small = await show(browser, join(folder, "small"), smaller);
        const large = await show(browser, join(folder, "large"), plan);
        const paints = await inTurns(PAINTS, [small, large], processes, paint);
        const scrubs = await inTurns(MOVES, [small, large], processes, scrub);
        const { rssMb } = await large.used();
        await Promise.all([small.finish(), large.finish()]);
        return {
          log_bytes: large.logBytes,
          entries: large.entries,
          index_mb_per_s: round(large.logBytes / 1e6 / (large.indexMs / 1_000)),
          open_ms: round(large.openMs),
          first_paint_ms: round(median(timesOf(paints[1]!))),
          scrub_p95_ms: round(percentile(timesOf(scrubs[1]!), 95)),
          growth: round(Math.max(growthOf(paints), growthOf(scrubs))),
          page_kb_gzip: round(pageBytes() / 1e3),
          rss_mb: round(rssMb),
        };
      } finally {
        await browser.close();
      }
    }),
};

function timesOf(measured: readonly Measured[]): readonly number[] {
  return measured.map(({ tookMs }) => tookMs);
}

function growthOf(measured: readonly (readonly Measured[])[]): number {
  const [small, large] = measured.map((one) => median(one.map(({ processorMs }) => processorMs)));
  return large! / small!;
}

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
    async used() {
      child.stdin.write("\n");
      return JSON.parse((await lines.next()).value!) as Used;
    },
    async finish() {
      await page.close();
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

/** Measures all of them once, then all of them again. @returns what each took */
async function inTurns(
  turns: number,
  shown: readonly Shown[],
  processes: CDPSession,
  measure: (shown: Shown, turn: number) => Promise<number>,
): Promise<readonly (readonly Measured[])[]> {
  const measured = shown.map((): Measured[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, one] of shown.entries()) {
      await one.page.bringToFront();
      const before = await processorMs(one, processes);
      const tookMs = await measure(one, turn);
      measured[index]!.push({ tookMs, processorMs: (await processorMs(one, processes)) - before });
    }
  }
  return measured;
}

async function processorMs(shown: Shown, processes: CDPSession): Promise<number> {
  const { processInfo } = await processes.send("SystemInfo.getProcessInfo");
  const browserMs = processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
  return browserMs + (await shown.used()).processorMs;
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
  const folder = fileURLToPath(new URL("../../../packages/observe/page/", import.meta.url));
  return globSync("*", { cwd: folder }).reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length,
    0,
  );
}

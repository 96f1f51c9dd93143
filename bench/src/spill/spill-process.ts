import { spawn } from "node:child_process";
import { storeStream } from "palimpsest";
import { resultFiles } from "palimpsest/result-files";

/** What a process that stored an output says of itself, in one line of JSON. */
export interface Spilled {
  readonly seconds: number;
  /** From what it had before the output began to the highest it ever had. */
  readonly rssGrowthMb: number;
  readonly bytes: number;
  readonly file: string;
}

const [source, folder] = process.argv.slice(2) as [string, string];
const rssBytes = process.memoryUsage.rss();
const startedAtMs = performance.now();
const tool = spawn("cat", [source], { stdio: ["ignore", "pipe", "inherit"] });
const content = await storeStream(tool.stdout, { files: resultFiles({ folder }), session: "bench" });
const seconds = (performance.now() - startedAtMs) / 1_000;
if (content.kind !== "stored") throw new Error(`The output is ${content.kind}, not stored.`);
const rssGrowthMb = process.resourceUsage().maxRSS / 1_024 - rssBytes / 2 ** 20;
const { bytes, file } = content.stored;
console.log(JSON.stringify({ seconds, rssGrowthMb, bytes, file } satisfies Spilled));

import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { type StreamedContent, storeStream } from "palimpsest/core";
import { resultFiles } from "palimpsest/result-files";

/** Report of a process that stored an output, in one line of JSON. */
export interface Spilled {
  readonly seconds: number;
  /** From what it had before the output began to the highest it ever had. */
  readonly rssGrowthMb: number;
  /** Where it was stored, if it was. */
  readonly file: string | undefined;
}

/**
 * `stored`: from another process through a pipe, as tools write. `stored-alone`: from one buffer that is used again and
 * again, so that only storing takes memory. `read`: from the pipe, and thrown away: what Node takes for the pipe itself.
 */
export type SpillWay = "stored" | "stored-alone" | "read";

const [way, source, folder] = process.argv.slice(2) as [SpillWay, string, string];
const rssBytes = process.memoryUsage.rss();
const startedAtMs = performance.now();
const content = await take();
const seconds = (performance.now() - startedAtMs) / 1_000;
const rssGrowthMb = process.resourceUsage().maxRSS / 1_024 - rssBytes / 2 ** 20;
if (content !== undefined && content.kind !== "stored") throw new Error(`The output is ${content.kind}, not stored.`);
console.log(JSON.stringify({ seconds, rssGrowthMb, file: content?.stored.file } satisfies Spilled));

async function take(): Promise<StreamedContent | undefined> {
  const output =
    way === "stored-alone" ? readFile() : spawn("cat", [source], { stdio: ["ignore", "pipe", "inherit"] }).stdout;
  if (way !== "read") return storeStream(output, { files: resultFiles({ folder }), session: "bench" });
  for await (const _ of output);
  return undefined;
}

async function* readFile(): AsyncGenerator<Uint8Array> {
  const file = await open(source);
  const buffer = new Uint8Array(65_536);
  for (let bytes = 1; bytes > 0; ) {
    bytes = (await file.read(buffer)).bytesRead;
    yield buffer.subarray(0, bytes);
  }
  await file.close();
}

import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * Loaded into the agent before anything else: measures it from inside while it runs, without a line in it that knows of
 * this. Whenever the file that says so is asked for (SIGUSR2), the figures since the last time are written to it.
 */
const delay = monitorEventLoopDelay({ resolution: 5 });
let frames = 0;
let mostRssBytes = 0;
let sinceMs = performance.now();
let sinceCpu = process.cpuUsage();

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
  // Every frame is announced to the terminal as one (synchronized output).
  if (typeof chunk === "string" && chunk.includes("\u001b[?2026h")) frames++;
  return write(chunk as string, ...rest);
}) as typeof process.stdout.write;

setInterval(() => {
  mostRssBytes = Math.max(mostRssBytes, process.memoryUsage.rss());
}, 100).unref();

process.on("SIGUSR2", () => {
  const tookMs = performance.now() - sinceMs;
  const { user, system } = process.cpuUsage(sinceCpu);
  const cpuMs = (user + system) / 1_000;
  const figures = { maxDelayMs: delay.max / 1e6, frames, tookMs, cpuMs, rssBytes: mostRssBytes };
  writeFileSync(process.env["PROBE_FILE"]!, JSON.stringify(figures));
  delay.enable();
  delay.reset();
  frames = 0;
  sinceMs = performance.now();
  sinceCpu = process.cpuUsage();
});

import { readFileSync } from "node:fs";

const HIGH_WATER = /^VmHWM:\s+(\d+) kB$/m;

/** The most memory that a process has had, on systems with /proc. `sample` while it runs. */
export function peakMbOf(pid: number): { sample(): void; mb(): number | undefined } {
  let peakMb: number | undefined;
  return {
    sample() {
      try {
        const kilobytes = Number(HIGH_WATER.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
        if (kilobytes > 0) peakMb = Math.max(peakMb ?? 0, kilobytes / 1_024);
      } catch {
        // It is gone, or the system has no such files.
      }
    },
    mb: () => peakMb,
  };
}

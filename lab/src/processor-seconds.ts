import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** What this process and those that it has waited for have used of the processors, as Linux counts it; 0 elsewhere. */
export function processorSeconds(): number {
  if (process.platform !== "linux") return 0;
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  // User and system, of this process and of its children.
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS_PER_SECOND;
}

/** Begins now. Returns what says how long it took, and what it used of the processors. */
export function startMeasuring(): () => string {
  const startedAtMs = Date.now();
  const usedBefore = processorSeconds();
  return () => {
    const seconds = ((Date.now() - startedAtMs) / 1_000).toFixed(1);
    return `${seconds} s, ${(processorSeconds() - usedBefore).toFixed(1)} of the processors`;
  };
}

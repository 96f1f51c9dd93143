import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LogPlace } from "./open-log.ts";
import type { Acknowledged, OutOfOrder, WriterPlan } from "./writer-process.ts";

export interface Writer {
  readonly process: ChildProcess;
  /** What the process has been told it wrote, as far as it could tell us. */
  readonly acknowledged: Acknowledged[];
  /** Appends that were refused although the process had just read where the log ends. */
  readonly outOfOrder: OutOfOrder[];
  /** Resolves when the first entry is acknowledged. */
  readonly started: Promise<void>;
  /** Resolves when the process is gone and all it said has been read. */
  readonly ended: Promise<void>;
}

const DEFAULT_TERMS: WriterPlan = {
  owner: "chaos",
  clockOffsetMs: 0,
  clockJumpMs: 0,
  pauseMs: 0,
  largestPayload: 6_000,
  takeovers: 0,
  failures: "throw",
};

/** Starts a process that writes to a session. */
export function startWriter(place: LogPlace, session: string, options: Partial<WriterPlan> = {}): Writer {
  const script = fileURLToPath(new URL("./writer-process.ts", import.meta.url));
  const args = [
    "--conditions=palimpsest-source",
    "--no-warnings",
    script,
    JSON.stringify(place),
    session,
    JSON.stringify({ ...DEFAULT_TERMS, ...options }),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: Acknowledged[] = [];
  const outOfOrder: OutOfOrder[] = [];
  let rest = "";
  const started = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    // A line that was cut by the kill was not told to its end, and does not count as told.
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const read = JSON.parse(line) as Acknowledged | OutOfOrder;
      if ("outOfOrder" in read) outOfOrder.push(read);
      else acknowledged.push(read);
    }
    if (acknowledged.length > 0) started.resolve();
  });
  const ended = Promise.all([once(child, "exit"), once(child.stdout, "end")]).then(() => started.resolve());
  return { process: child, acknowledged, outOfOrder, started: started.promise, ended };
}

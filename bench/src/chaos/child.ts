import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Acknowledged, WriterPlan } from "./writer-process.ts";

export interface Writer {
  readonly process: ChildProcess;
  /** What the process has been told it wrote, as far as it could tell us. */
  readonly acknowledged: Acknowledged[];
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
};

/** Starts a process that writes to a session. */
export function startWriter(folder: string, session: string, options: Partial<WriterPlan> = {}): Writer {
  const script = fileURLToPath(new URL("./writer-process.ts", import.meta.url));
  const args = [
    "--conditions=palimpsest-source",
    "--no-warnings",
    script,
    folder,
    session,
    JSON.stringify({ ...DEFAULT_TERMS, ...options }),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: Acknowledged[] = [];
  let rest = "";
  const started = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    // A line that was cut by the kill was not told to its end, and does not count as told.
    rest = lines.pop() ?? "";
    for (const line of lines) acknowledged.push(JSON.parse(line) as Acknowledged);
    if (acknowledged.length > 0) started.resolve();
  });
  const ended = Promise.all([once(child, "exit"), once(child.stdout, "end")]).then(() => started.resolve());
  return { process: child, acknowledged, started: started.promise, ended };
}

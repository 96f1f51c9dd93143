import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ReplayFigures } from "../replay/replay-run.ts";
import type { RecordedEntry } from "../transcripts/readers/recorded.ts";

export interface ReplayOrder {
  readonly entries: readonly RecordedEntry[];
  /** Names of `REPLAY_POLICIES`. */
  readonly policies: readonly string[];
  readonly model: string;
  readonly cacheTtl: "5m" | "1h";
}

export type ReplayReport =
  | {
      readonly kind: "progress";
      readonly policy: string;
      /** Policies that are done, of all. */
      readonly done: number;
      readonly of: number;
      /** Requests of this policy that are done, of all. */
      readonly request: number;
      readonly requests: number;
    }
  | { readonly kind: "figures"; readonly policy: string; readonly figures: ReplayFigures }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "done" };

// Beside this file, both in the sources and in the package.
const EXTENSION = extname(fileURLToPath(import.meta.url));
const THREAD = new URL(`./replay-thread${EXTENSION}`, import.meta.url);
/** A thread on sources finds other packages by their sources, too. */
const ON_SOURCES = EXTENSION === ".ts" ? { execArgv: ["--conditions=palimpsest-source", "--no-warnings"] } : {};

/** Replays a session in a thread. Ends with `done` or `failed`; aborting ends the thread. */
export async function replaySession(
  order: ReplayOrder,
  onReport: (report: ReplayReport) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const worker = new Worker(THREAD, { workerData: order, ...ON_SOURCES });
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    worker.on("message", (report: ReplayReport) => {
      onReport(report);
      if (report.kind === "done" || report.kind === "failed") resolve();
    });
    worker.on("error", (error) => {
      onReport({ kind: "failed", why: error.message });
      resolve();
    });
    worker.on("exit", () => resolve());
  });
  await worker.terminate();
}

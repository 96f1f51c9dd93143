import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isKept } from "./kept-results.ts";
import type { PlannedSession } from "./sessions.ts";

const PROCESS = fileURLToPath(new URL("economics-process.ts", import.meta.url));
const OPTIONS = ["--conditions=palimpsest-source", "--no-warnings", "--max-old-space-size=4096"];
/** Most of a small session's time is the loading of modules. */
const COMPILED = join(tmpdir(), "palimpsest-economics-compiled");
/** One for each processor of the machine that it is measured on. */
const AT_ONCE = 2;
const PROGRESS_MS = 15_000;

/** A session that cannot be replayed, and why: the others go on. */
export interface FailedSession {
  readonly name: string;
  readonly reason: string;
}

/**
 * Runs all jobs whose results are not kept yet, two sessions at a time, the largest first. It may be stopped at any point: what
 * is finished is kept.
 */
export async function replayAll(sessions: readonly PlannedSession[]): Promise<readonly FailedSession[]> {
  const work = sessions.map((session) => ({ session, jobs: session.jobs.filter(({ file }) => !isKept(file)) }));
  const waiting = work.filter(({ jobs }) => jobs.length > 0);
  const failed: FailedSession[] = [];
  const replays = waiting.reduce((sum, { jobs }) => sum + jobs.length, 0);
  const startedMs = Date.now();
  let [done, toldMs] = [0, 0];

  // Not to standard output: that is for the figures.
  function tell(): void {
    const nowMs = Date.now();
    if (nowMs - toldMs < PROGRESS_MS && done < replays) return;
    toldMs = nowMs;
    const minutes = (nowMs - startedMs) / 60_000;
    const left = done === 0 ? "" : `, about ${Math.ceil((minutes / done) * (replays - done))} min left`;
    console.error(
      `${done} of ${replays} replays, ${waiting.length} sessions waiting, ${minutes.toFixed(1)} min${left}`,
    );
  }

  async function runNext(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { session, jobs } = next;
      const { name } = session;
      const reason = await runSession({ ...session, jobs }, () => {
        done++;
        tell();
      });
      if (reason === undefined) continue;
      console.error(`${name} cannot be replayed: ${reason}`);
      failed.push({ name, reason });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  return failed.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns why it failed; undefined if all its jobs are done. */
async function runSession(work: PlannedSession, onJob: () => void): Promise<string | undefined> {
  const child = spawn(process.execPath, [...OPTIONS, PROCESS, JSON.stringify(work)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-MAX_SAID);
  });
  const lines = createInterface({ input: child.stdout });
  lines.on("line", onJob);
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return undefined;
  return said.match(/^\w*Error[^\n]*/m)?.[0] ?? `its process ended with ${code ?? "a signal"}`;
}

const MAX_SAID = 20_000;

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killWhenWeEnd, removeWhenWeEnd } from "../when-we-end.ts";
import { checkTypes } from "./check-types.ts";
import { copyRepository } from "./copy-repository.ts";
import type { ChangedFile, TestsWanted } from "./tests-process.ts";
import type { TestsRun } from "./tests-run.ts";

/** A copy of the repository in which changes are tested, one after another. */
export interface RepositoryCopy {
  /** Where the copy lies. */
  readonly folder: string;
  /** A file as it was when the copy was made. @param file from the root */
  read(file: string): string;
  /** Runs tests with files changed, and puts the files back. Ends at the first test that fails. */
  run(wanted: TestsWanted, limitMs: number): Promise<TestsRun | "too-slow">;
  /** Whether its package compiles with this change. */
  checkTypes(change: ChangedFile): Promise<"right" | "wrong">;
  close(): Promise<void>;
}

export interface OpenCopyOptions {
  /** The repository's root. */
  readonly from: string;
  /** Random cases are the same in every run: a change is noticed by its own doing. */
  readonly seed: number;
}

/** The copy and its processes end with this process, however it ends. */
export function openCopy({ from, seed }: OpenCopyOptions): RepositoryCopy {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-copy-"));
  removeWhenWeEnd(folder);
  copyRepository(from, folder);
  let started: { readonly child: ChildProcess; readonly callOff: () => void } | undefined;

  async function start(): Promise<ChildProcess> {
    if (started !== undefined) return started.child;
    const child = fork(join(folder, "scripts/changed-copy/tests-process.ts"), {
      cwd: folder,
      // Tests and the programs that they start are of its group.
      detached: true,
      execArgv: ["--conditions=palimpsest-source", "--no-warnings"],
      env: { ...process.env, PALIMPSEST_SEED: String(seed), PALIMPSEST_AGENT: undefined },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    started = { child, callOff: child.pid === undefined ? () => undefined : killWhenWeEnd(child.pid) };
    const said: string[] = [];
    child.stderr!.on("data", (piece: Buffer) => said.push(piece.toString()));
    const first = await Promise.race([once(child, "message"), once(child, "exit")]);
    if (first[0] !== "ready") throw new Error(`The tests cannot be started: ${said.join("").slice(-2_000)}`);
    return child;
  }

  /** All of its group: a test in an endless loop listens to nobody. */
  async function stop(): Promise<void> {
    if (started === undefined) return;
    const { child, callOff } = started;
    started = undefined;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await gone;
    callOff();
  }

  async function run(wanted: TestsWanted, limitMs: number): Promise<TestsRun | "too-slow"> {
    const before = wanted.changes.map(({ file }) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
    const child = await start();
    const over = new AbortController();
    const { signal } = over;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"too-slow">((resolve) => {
      timer = setTimeout(() => resolve("too-slow"), limitMs);
    });
    const answered = once(child, "message", { signal }).then(([answer]) => answer as TestsRun);
    const ended = once(child, "exit", { signal }).then(
      (): TestsRun => ({ files: [], strayErrors: ["the process of the tests has ended"] }),
    );
    child.send(wanted);
    try {
      const outcome = await Promise.race([answered, ended, late]);
      // Started anew, from files as they were: it was killed before it could put them back.
      if (outcome === "too-slow" || child.exitCode !== null || child.signalCode !== null) await putBack(before);
      return outcome;
    } finally {
      clearTimeout(timer);
      for (const one of [answered, ended]) one.catch(() => undefined);
      over.abort();
    }
  }

  async function putBack(before: TestsWanted["changes"]): Promise<void> {
    await stop();
    for (const { file, text } of before) writeFileSync(join(folder, file), text);
  }

  return {
    folder,
    read: (file) => readFileSync(join(folder, file), "utf8"),
    run,
    checkTypes: (change) => checkTypes(folder, change),
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

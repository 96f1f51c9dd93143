/** One change of a file, written down before it was made. Contents by their hash; null: there was no file. */
export interface FileChangeLine {
  /** The session's newest entry when it was made. */
  readonly entry: number;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface RewindStep {
  readonly path: string;
  /** Content to put back by its hash; null: the file is to be removed. */
  readonly to: string | null;
  readonly from: string | null;
}

export interface RewindPlan {
  readonly steps: readonly RewindStep[];
  /** Files that someone else has changed since: left as they are. */
  readonly changedByOthers: readonly string[];
}

/** The earliest change of a path after the point says what to go back to, the newest what should stand there now. */
export interface ChangedFile {
  readonly path: string;
  readonly to: string | null;
  readonly expected: string | null;
}

/** The files that were changed after an entry. */
export function filesChangedAfter(lines: readonly FileChangeLine[], entry: number): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const line of lines) {
    if (line.entry <= entry) continue;
    const to = files.has(line.path) ? files.get(line.path)!.to : line.before;
    files.set(line.path, { path: line.path, to, expected: line.after });
  }
  return [...files.values()];
}

/** What to do so that the files are as they were. `now` is what stands there, by hash. */
export function planRewind(files: readonly ChangedFile[], now: ReadonlyMap<string, string | null>): RewindPlan {
  const steps: RewindStep[] = [];
  const changedByOthers: string[] = [];
  for (const { path, to, expected } of files) {
    const found = now.get(path) ?? null;
    if (found === to) continue;
    if (found === expected) steps.push({ path, to, from: found });
    else changedByOthers.push(path);
  }
  return { steps, changedByOthers };
}

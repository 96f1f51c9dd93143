/** One change of a file, recorded before it was made. Contents are named by their hash; null means no file. */
export interface FileChangeLine {
  /** The session's newest entry at the time of the change. */
  readonly entry: number;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface RewindStep {
  readonly path: string;
  /** The hash of the content to restore; null: remove the file. */
  readonly to: string | null;
  readonly from: string | null;
}

export interface RewindPlan {
  readonly steps: readonly RewindStep[];
  /** Files that something else has changed since. They are left unchanged. */
  readonly changedByOthers: readonly string[];
}

/** The first change of a path after the entry has the content to restore; the last has the content expected now. */
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

/** Plans how to restore the files. `now` has the current contents, by hash. */
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

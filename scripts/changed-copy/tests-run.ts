/** What a run of test files came to. */
export interface TestsRun {
  readonly files: readonly TestFileRun[];
  /** Errors outside of any test. */
  readonly strayErrors: readonly string[];
}

export interface TestFileRun {
  /** From the repository's root. */
  readonly file: string;
  readonly passed: number;
  /** The names of the tests that failed. */
  readonly failed: readonly string[];
  /** Why the file could not be loaded, or a hook of it failed. */
  readonly loadErrors: readonly string[];
  readonly durationMs: number;
}

export type Verdict =
  | { readonly kind: "failed"; readonly file: string; readonly test: string }
  | { readonly kind: "passed" }
  /** No test has judged anything: that says nothing about what was changed. */
  | { readonly kind: "could-not-run"; readonly why: string };

/** Whether tests noticed a change. A file that cannot be loaded notices nothing: it would fail for any reason. */
export function judgeRun({ files, strayErrors }: TestsRun): Verdict {
  for (const { file, failed } of files) {
    const [test] = failed;
    if (test !== undefined) return { kind: "failed", file, test };
  }
  const unloaded = files.find(({ loadErrors }) => loadErrors.length > 0);
  if (unloaded !== undefined) return { kind: "could-not-run", why: `${unloaded.file}: ${unloaded.loadErrors[0]}` };
  const last = files.findLast(({ passed }) => passed > 0);
  if (last === undefined) return { kind: "could-not-run", why: strayErrors[0] ?? "no test was run" };
  const [stray] = strayErrors;
  return stray === undefined
    ? { kind: "passed" }
    : { kind: "failed", file: last.file, test: `outside of tests: ${stray}` };
}

/** The part of vitest's JSON report that is read here. */
export interface VitestReport {
  readonly success: boolean;
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Tests that were not run, by file and name. */
  readonly skipped: readonly string[];
  /** Tests that failed beside others and passed alone, by file and name. */
  readonly unsteady: readonly string[];
}

/** So many files at most are run again: with more of them something is broken. */
const MOST_AGAIN = 6;

/** The files to run once more and alone: those in which a test failed, unless there are many. */
export function filesToRunAgain({ success, testResults }: VitestReport): readonly string[] {
  const failed = testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  return success || failed.length > MOST_AGAIN ? [] : [...new Set(failed)];
}

/**
 * Counts the tests of a report: every test that neither passed nor failed was skipped.
 * @param again the report of the files that were run once more
 */
export function countTests(report: VitestReport, again?: VitestReport): TestCounts {
  const passedAgain = new Set(again?.success ? namesOf(again, (status) => status === "passed") : []);
  const failed = namesOf(report, (status) => status === "failed");
  const unsteady = failed.filter((name) => passedAgain.has(name));
  return {
    passed: namesOf(report, (status) => status === "passed").length + unsteady.length,
    failed: failed.length - unsteady.length,
    skipped: namesOf(report, (status) => status !== "passed" && status !== "failed"),
    unsteady,
  };
}

function namesOf({ testResults }: VitestReport, isMeant: (status: string) => boolean): readonly string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => isMeant(status)).map(({ fullName }) => `${name}: ${fullName}`),
  );
}

/** The part of vitest's JSON report that is read here. */
export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Tests that were not run, by file and name. */
  readonly skipped: readonly string[];
}

/** Counts the tests of a report: every test that neither passed nor failed was skipped. */
export function countTests(report: VitestReport): TestCounts {
  const skipped = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `${name}: ${fullName}`),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests, skipped };
}

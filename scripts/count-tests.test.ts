import { expect, test } from "vitest";
import { countTests, filesToRunAgain, type VitestReport } from "./count-tests.ts";

function reportOf(files: Readonly<Record<string, readonly string[]>>): VitestReport {
  const testResults = Object.entries(files).map(([name, statuses]) => ({
    name,
    status: statuses.includes("failed") ? "failed" : "passed",
    assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })),
  }));
  return { success: testResults.every(({ status }) => status === "passed"), testResults };
}

test("a test that neither passed nor failed is skipped, and is named", () => {
  const report = reportOf({ "a.test.ts": ["passed", "failed", "skipped", "pending", "todo"] });
  expect(countTests(report)).toEqual({
    passed: 1,
    failed: 1,
    skipped: ["a.test.ts: test 2", "a.test.ts: test 3", "a.test.ts: test 4"],
    unsteady: [],
  });
});

test("a file with a failure is run again; a test that passes alone is named as unsteady, one that fails again has failed", () => {
  const report = reportOf({ "a.test.ts": ["passed", "failed"], "b.test.ts": ["passed"], "c.test.ts": ["failed"] });
  expect(filesToRunAgain(report)).toEqual(["a.test.ts", "c.test.ts"]);
  const both = reportOf({ "a.test.ts": ["passed", "passed"], "c.test.ts": ["passed"] });
  expect(countTests(report, both)).toEqual({
    passed: 4,
    failed: 0,
    skipped: [],
    unsteady: ["a.test.ts: test 1", "c.test.ts: test 0"],
  });
  const one = reportOf({ "a.test.ts": ["passed", "passed"], "c.test.ts": ["failed"] });
  expect(countTests(report, one)).toMatchObject({ passed: 2, failed: 2, unsteady: [] });
});

test("nothing is run again if all passed, or if many failed", () => {
  expect(filesToRunAgain(reportOf({ "a.test.ts": ["passed"] }))).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`${index}.test.ts`, ["failed"]]));
  expect(filesToRunAgain(reportOf(many))).toEqual([]);
});

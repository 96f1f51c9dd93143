import { expect, test } from "vitest";
import { countTests } from "./count-tests.ts";

test("a test that neither passed nor failed is skipped, and is named", () => {
  const assertionResults = ["passed", "failed", "skipped", "pending", "todo"].map((status) => ({
    fullName: `a ${status} test`,
    status,
  }));
  const testResults = [{ name: "a.test.ts", assertionResults }];
  expect(countTests({ numPassedTests: 1, numFailedTests: 1, testResults })).toEqual({
    passed: 1,
    failed: 1,
    skipped: ["a.test.ts: a skipped test", "a.test.ts: a pending test", "a.test.ts: a todo test"],
  });
});

import { expect, test } from "vitest";
import { judgeRun, type TestFileRun } from "./tests-run.ts";

function ran(file: string, more: Partial<TestFileRun> = {}): TestFileRun {
  return { file, passed: 1, failed: [], loadErrors: [], durationMs: 1, ...more };
}

test("a test that fails notices a change", () => {
  const files = [ran("a.test.ts"), ran("b.test.ts", { failed: ["holds", "more"] })];
  expect(judgeRun({ files, strayErrors: [] })).toEqual({ kind: "failed", file: "b.test.ts", test: "holds" });
});

test("a file that cannot be loaded notices nothing", () => {
  const files = [ran("a.test.ts", { passed: 0, loadErrors: ["Unexpected token"] })];
  expect(judgeRun({ files, strayErrors: [] })).toEqual({ kind: "could-not-run", why: "a.test.ts: Unexpected token" });
});

test("no test at all says nothing", () => {
  expect(judgeRun({ files: [], strayErrors: [] })).toEqual({ kind: "could-not-run", why: "no test was run" });
  const files = [ran("a.test.ts", { passed: 0 })];
  expect(judgeRun({ files, strayErrors: ["no worker"] })).toEqual({ kind: "could-not-run", why: "no worker" });
});

test("an error outside of tests fails a run whose tests pass", () => {
  const verdict = judgeRun({ files: [ran("a.test.ts")], strayErrors: ["not awaited"] });
  expect(verdict).toEqual({ kind: "failed", file: "a.test.ts", test: "outside of tests: not awaited" });
});

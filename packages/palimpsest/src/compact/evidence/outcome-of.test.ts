import fc from "fast-check";
import { expect, test } from "vitest";
import { outcomeOf } from "./calls.ts";

test.each([
  [
    "Exit code 2\nsrc/a.ts: error TS2304: no name",
    { state: "failed", exitCode: 2, error: "src/a.ts: error TS2304: no name" },
  ],
  ["Exit code 1\nok one\nKeyError: 'id'\nok two", { state: "failed", exitCode: 1, error: "KeyError: 'id'" }],
  ["Exit code 1\nfatal: no lease\n  at renew", { state: "failed", error: "fatal: no lease\nat renew" }],
  ["Exit code 137\nstarting\nKilled", { state: "failed", error: "Killed" }],
  ["Process exited with code 0\nall fine", { state: "ok", exitCode: 0 }],
  ['{"exit_code": 127, "output": "sh: foo: not found"}', { state: "failed", exitCode: 127 }],
  ["ok  \tpkg/a\t0.1s\nFAIL\tpkg/b\t0.2s", { state: "ok", report: "FAIL\tpkg/b\t0.2s", error: "FAIL\tpkg/b\t0.2s" }],
  ["Tests: 3 passed, 3 total", { state: "ok", report: "Tests: 3 passed, 3 total" }],
  ["a text that speaks of errors and failures", { state: "ok" }],
])("a command that says %j", (text, outcome) => {
  expect(outcomeOf(text, "ok", "command")).toMatchObject(outcome);
  if (!("error" in outcome) && outcome.state === "ok")
    expect(outcomeOf(text, "ok", "command")).toEqual(expect.not.objectContaining({ error: expect.anything() }));
});

test("a command that failed by its status has failed, whatever exit code its text names", () => {
  const outcome = outcomeOf("Exit code 0\nfatal: no lease", "error", "command");
  expect(outcome).toEqual({ state: "failed", exitCode: 0, error: "fatal: no lease" });
});

test("of anything but a command only the status tells", () => {
  expect(outcomeOf("Exit code 1\nError: x", "ok", "other")).toEqual({ state: "ok" });
  expect(outcomeOf("\nString to replace not found\nmore\nyet more", "error", "other")).toEqual({
    state: "failed",
    error: "String to replace not found\nmore",
  });
});

test("what is told is short and well-formed, however long the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.constantFrom("ok", "error"), (text, status) => {
      const { error = "", report = "" } = outcomeOf(`${text}\nError: ${"😀".repeat(300)}`, status, "command");
      expect(error.length).toBeLessThanOrEqual(240);
      expect(report.length).toBeLessThanOrEqual(120);
      expect(error.isWellFormed()).toBe(true);
    }),
  );
});

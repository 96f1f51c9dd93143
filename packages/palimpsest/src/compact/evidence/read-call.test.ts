import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../../../test/processor-ms.ts";
import { numberedLines, readCall } from "./calls.ts";

const call = (name: string, input: unknown) => readCall({ kind: "tool_call", id: "c", name, input });

test.each([
  [{ command: "npm test" }, "npm test"],
  [{ cmd: ["bash", "-lc", "go test ./..."] }, "go test ./..."],
  [{ command: ["git", "status"] }, "git status"],
  [{ command: "cd /repo && make lint 2>&1 | tail -20" }, "make lint"],
  [{ command: "cd /repo" }, "cd /repo"],
  [{ command: "tail -5 log.txt" }, "tail -5 log.txt"],
  [{ command: " " }, undefined],
  [{ command: 7 }, undefined],
])("the command of %j", (input, command) => {
  expect(call("shell", input).command).toBe(command);
});

test("a command with its folder and filters is kept as it was run, too", () => {
  const line = "cd /repo && make lint 2>&1 | tail -20";
  expect(call("shell", { command: line })).toEqual({ command: "make lint", asRun: line });
  expect(call("shell", { command: "make lint" })).toEqual({ command: "make lint" });
});

test("of a long command only the beginning is kept, in whole characters", () => {
  expect(call("shell", { command: "x".repeat(1_000) }).command).toBe("x".repeat(240));
  expect(call("shell", { command: `x${"🙂".repeat(500)}` }).command).toBe(`x${"🙂".repeat(119)}`);
});

test.each([
  [{ offset: 10, limit: 5 }, [10, 14]],
  [{ limit: 5 }, [1, 5]],
  [{ start_line: 3, end_line: 9 }, [3, 9]],
  [{ view_range: [4, 8] }, [4, 8]],
  [{ view_range: [4, -1] }, undefined],
  [{ offset: 10 }, undefined],
])("the lines of %j", (input, range) => {
  expect(call("Read", { path: "a.ts", ...input }).files?.[0]?.range).toEqual(range);
});

test.each([
  [{ new_string: "const limit = 20;" }, "const limit = 20;"],
  [{ newText: "const limit = 20;" }, "const limit = 20;"],
  [{ edits: [{ new_string: "const first = 1;" }, { new_string: "const limit = 20;" }] }, "const limit = 20;"],
  [{ edits: [] }, undefined],
  [{ content: "const limit = 20;" }, undefined],
])("where the edit %j stands", (input, line) => {
  expect(call("Edit", { path: "a.ts", ...input }).files?.[0]?.written?.line).toBe(line);
});

test("the lines that a result numbers", () => {
  expect(numberedLines("     7\u2192seven\n     8\u2192eight\n")).toEqual([7, 8]);
  expect(numberedLines("12\tx\n13\ty\nno number")).toEqual([12, 13]);
  expect(numberedLines("nothing\nhere")).toBeUndefined();
  // Lines of several places, or times: no range of one file.
  expect(numberedLines("12:x\n3:y\n")).toBeUndefined();
  expect(numberedLines("0:x\n3:y\n")).toBeUndefined();
  expect(numberedLines("7:only\n")).toEqual([7, 7]);
});

test("any input is read", () => {
  fc.assert(fc.property(fc.string(), fc.jsonValue(), (name, input) => void expect(call(name, input)).toBeDefined()));
});

test("reads a pipe of many filters in time that grows with its length", async () => {
  expect(call("shell", { command: `cat log${"|tail -h|head -2".repeat(9)}` }).command).toBe("cat log");
  const hostile = [`cat log${"|tail -h|tail".repeat(14)} i`, `cat log${"|tail -h|tail".repeat(100_000)} i`];
  const usedMs = await processorMs(() => hostile.forEach((command) => void call("shell", { command })));
  expect(usedMs).toBeLessThan(2_000);
});

import { expect, test } from "vitest";
import { processorMs } from "../../../../test/processor-ms.ts";
import { describeCall } from "./describe-call.ts";
import { fileRead } from "./files-read.ts";

test.each([
  ["Read", { file_path: "/a.ts" }, "/a.ts"],
  ["read_file", { absolute_path: "/b.ts" }, "/b.ts"],
  ["read", { filePath: "c.ts" }, "c.ts"],
  ["shell", { command: ["bash", "-lc", "sed -n '1,200p' src/d.ts"] }, "src/d.ts"],
  ["shell", { command: ["cat", "e.ts"] }, "e.ts"],
  ["exec_command", { cmd: "nl -ba f.ts" }, "f.ts"],
  ["Bash", { command: "head -n 20 g.ts" }, "g.ts"],
  ["Bash", { command: "cat a.ts | grep x" }, undefined],
  ["Bash", { command: "cat a.ts b.ts" }, undefined],
  ["Bash", { command: "npm test" }, undefined],
  ["Edit", { file_path: "/a.ts" }, undefined],
  ["Read", null, undefined],
])("%s %j reads %s", (name, input, path) => {
  expect(fileRead(name, input)).toBe(path);
});

test("a call is told by its file, its command, or how its input begins", () => {
  const about = (name: string, input: unknown): string =>
    describeCall({ kind: "tool_call", callId: "c", name, input }).about;
  expect(about("Read", { file_path: "/a.ts", limit: 3 })).toBe("/a.ts");
  expect(about("Bash", { command: "npm  test\n--watch" })).toBe("npm test --watch");
  expect(about("Grep", { pattern: "x".repeat(200) })).toBe(`${"x".repeat(100)}…`);
  expect(about("custom", "raw input")).toBe("raw input");
  expect(about("none", undefined)).toBe("");
});

test("reads a command with many options in time that grows with its length", async () => {
  const hostile = [`cat ${"-a   ".repeat(15)}|`, `cat ${"-a   ".repeat(100_000)}|`];
  const usedMs = await processorMs(() => hostile.forEach((command) => void fileRead("Bash", { command })));
  expect(usedMs).toBeLessThan(2_000);
});

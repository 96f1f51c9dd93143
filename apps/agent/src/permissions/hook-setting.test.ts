import { expect, test } from "vitest";
import { hookText, readHook } from "./program-setting.ts";
import { MAX_TIMEOUT_MS } from "./settings-schema.ts";

test("a hook is bound to the tools and the time that it names, and is none without an event and a command", () => {
  const problems: string[] = [];
  const read = (value: unknown) => readHook(value, "user", (problem) => problems.push(problem));
  const hook = { event: "PreToolUse", command: ["node", "check.js"], tools: "Bash", timeoutMs: 1_000, from: "user" };
  expect(read(hook)).toEqual(hook);
  const plain = { event: "Stop", command: "date", from: "user" };
  expect(read(plain)).toEqual(plain);
  for (const timeoutMs of [0, -1, 1e12, "1000"]) expect(read({ ...plain, timeoutMs, tools: 5 })).toEqual(plain);
  for (const value of [undefined, null, "date", { event: "Stop" }, { command: "date" }, { ...plain, command: [] }])
    expect(read(value)).toBeUndefined();
  expect(problems).toEqual([]);
});

test("a hook may take up to the longest time that there is, and its words stand in one line", () => {
  const said: string[] = [];
  const read = (value: object) => readHook(value, "project", (problem) => said.push(problem));
  const hook = { event: "Stop", command: ["node", "a b.js"] };
  for (const [timeoutMs, kept] of [
    [1, 1],
    [MAX_TIMEOUT_MS, MAX_TIMEOUT_MS],
    [MAX_TIMEOUT_MS + 1, undefined],
  ])
    expect([timeoutMs, read({ ...hook, timeoutMs })?.timeoutMs]).toEqual([timeoutMs, kept]);
  expect(hookText(read(hook)!)).toBe("hook at Stop: node a b.js");
  expect(hookText(read({ event: "Stop", command: "date; ls", hosts: ["h.example"] })!)).toMatch(
    /^hook at Stop: date; ls .*h\.example/,
  );
  expect(read({ ...hook, command: ["node", 5] })).toBeUndefined();
  expect(said).toEqual([]);
  // A project's hook stays in the sandbox, and its owner learns of which hook that is said.
  expect(read({ ...hook, sandbox: "off" })).toEqual({ ...hook, from: "project" });
  expect(said).toEqual([expect.stringMatching(/^hook at Stop: .*sandbox/)]);
});

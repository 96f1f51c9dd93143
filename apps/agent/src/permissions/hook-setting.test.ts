import { expect, test } from "vitest";
import { readHook } from "./hook-setting.ts";

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

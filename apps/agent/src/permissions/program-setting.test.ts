import { expect, test } from "vitest";
import { programText, readProgram } from "./program-setting.ts";

test.each(["project", "local", "session", "command line"] as const)(
  "only the user's own settings let a program out of the sandbox, not those of: %s",
  (from) => {
    const problems: string[] = [];
    expect(readProgram({ sandbox: "off", hosts: ["a", 5, "b"] }, from, (one) => problems.push(one))).toEqual({
      from,
      hosts: ["a", "b"],
    });
    expect(problems).toHaveLength(1);
  },
);

test("those of the user do, and only by that word", () => {
  const say = () => expect.unreachable();
  expect(readProgram({ sandbox: "off" }, "user", say)).toEqual({ from: "user", sandbox: "off" });
  for (const sandbox of ["on", "OFF", false, undefined])
    expect(readProgram({ sandbox, hosts: "a" }, "user", say)).toEqual({ from: "user" });
});

test("what a program may do beyond others stands behind its name", () => {
  expect(programText({})).toBe("");
  expect(programText({ sandbox: "on", project: "read", hosts: [] })).toBe("");
  expect(programText({ sandbox: "off", project: "write", hosts: ["a", "b"] })).toBe(
    " (outside of the sandbox; writes to the project; reaches a, b)",
  );
});

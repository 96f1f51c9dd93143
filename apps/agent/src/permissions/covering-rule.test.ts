import { expect, test } from "vitest";
import { coveringRule } from "./decide-permission.ts";
import type { LocatedPath, PermissionCall } from "./permission-call.ts";
import { readRule } from "./rule.ts";
import { parseLine } from "./shell/parse-line.ts";

/** A command that a rule allows, and that the shell lets write to a path. */
function writing(path: string, place: LocatedPath["place"], enclosure: PermissionCall["enclosure"]): PermissionCall {
  const text = `echo a > ${path}`;
  return {
    tool: "Bash",
    effect: "run",
    paths: [],
    place: "none",
    hosts: [],
    enclosure,
    base: { folder: "/work/project", home: "/home/user" },
    command: { text, line: parseLine(text), touched: [{ paths: [path], access: "write", by: "redirect", place }] },
  };
}

const RULES = ["Bash(echo *)", "Edit(notes/**)"].map((text) => readRule(text, "allow", "user")!);

test.each([
  ["/dev/null", "system", "none", true],
  ["/usr/lib/a", "system", "none", false],
  ["/usr/lib/a", "system", "sandbox", true],
  ["/elsewhere/a", "outside", "none", false],
  ["/elsewhere/a", "outside", "sandbox", false],
  ["a", "inside", "none", false],
  ["notes/a", "inside", "none", true],
] as const)(
  "a command that may run does not write everywhere: %s (%s, enclosure %s)",
  (path, place, enclosure, allowed) => {
    const found = coveringRule("default", RULES, writing(path, place, enclosure));
    expect(found === undefined ? false : found === RULES[0]).toBe(allowed);
  },
);

test.each([
  ["default", "inside", false],
  ["plan", "inside", false],
  ["accept-edits", "inside", true],
  ["auto", "inside", true],
  ["accept-edits", "protected", false],
  ["auto", "protected", false],
  ["auto", "outside", false],
] as const)("what the shell writes is an edit of the mode %s (%s)", (mode, place, allowed) => {
  const found = coveringRule(mode, RULES, writing("a", place, "sandbox"));
  expect(found !== undefined).toBe(allowed);
});

test("a file is read by the shell where it lies in the project or belongs to the machine; what is not known is not opened", () => {
  const reading = (place: LocatedPath["place"], text = "echo a < b"): boolean => {
    const call = writing("b", place, "sandbox");
    const command = {
      text,
      line: parseLine(text),
      touched: [{ paths: ["b"], access: "read", by: "redirect", place }],
    } as const;
    return coveringRule("default", RULES, { ...call, command }) !== undefined;
  };
  expect([reading("inside"), reading("system"), reading("protected"), reading("outside")]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(reading("inside", "echo a < $X")).toBe(false);
  expect(reading("inside", "")).toBe(false);
});

test("an unbound rule covers all calls of its tool, except of what is protected", () => {
  const all = [readRule("Edit", "allow", "user")!];
  const { command: _, ...about } = writing("a", "inside", "none");
  const edit = { ...about, tool: "Write", effect: "write", paths: ["a"], place: "inside" } as const;
  expect(coveringRule("default", all, edit)).toBe(all[0]);
  expect(coveringRule("default", all, { ...edit, place: "protected" })).toBeUndefined();
  expect(coveringRule("default", all, { ...edit, tool: "Bash" })).toBeUndefined();
  // As written and as it really is: both have to fit.
  expect(coveringRule("default", RULES, { ...edit, paths: ["notes/a", "notes/b"] })).toBe(RULES[1]);
  expect(coveringRule("default", RULES, { ...edit, paths: ["notes/a", "b"] })).toBeUndefined();
});

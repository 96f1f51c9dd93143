import { expect, test } from "vitest";
import { coveringRule } from "./covering-rule.ts";
import type { LocatedPath, PermissionCall } from "./permission-call.ts";
import { readRule } from "./rule.ts";
import { parseLine } from "./shell/parse-line.ts";

/** A command that a rule allows, and that the shell lets write to a path. */
function writing(path: string, place: LocatedPath["place"], enclosure: PermissionCall["enclosure"]): PermissionCall {
  const text = `echo a > ${path}`;
  return {
    tool: "Bash",
    effect: "execute",
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

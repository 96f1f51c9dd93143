import { expect, test } from "vitest";
import { allowingRules } from "./allowing-rules.ts";
import { decidePermission } from "./decide-permission.ts";
import type { PermissionCall } from "./permission-call.ts";
import { readRule } from "./rule.ts";

const base = { folder: "/work/project", home: "/home/user" };
const BASH: PermissionCall = { base, tool: "Bash", effect: "execute", paths: [], place: "none", network: "none" };
const EDIT: PermissionCall = {
  base,
  tool: "Edit",
  effect: "edit",
  paths: ["src/a.ts"],
  place: "inside",
  network: "none",
};

test.each<[PermissionCall, readonly string[]]>([
  [{ ...BASH, command: "npm test -- a.test.ts" }, ["Bash(npm test *)"]],
  [{ ...BASH, command: "git status && git status -s" }, ["Bash(git status *)"]],
  [{ ...BASH, command: "ls -la | wc -l" }, ["Bash(ls *)", "Bash(wc *)"]],
  [{ ...BASH, command: "./run.sh" }, ["Bash(./run.sh *)"]],
  [{ ...BASH, command: "echo $(date) > x" }, ["Bash"]],
  [{ ...BASH, command: "npm install", network: "wanted" }, ["Bash(npm install *)", "Network"]],
  [EDIT, ["Edit(src/a.ts)"]],
  [{ ...EDIT, paths: [".github/workflows/a.yml"], place: "protected" }, ["Edit(.github/workflows/a.yml)"]],
  [{ ...EDIT, paths: ["link.ts", "src/a.ts"] }, ["Edit(link.ts)", "Edit(src/a.ts)"]],
])("the rules that are named do allow the call: %j", (call, expected) => {
  expect(decidePermission("default", [], call).decision).toBe("ask");
  const named = allowingRules(call);
  expect(named).toEqual(expected);
  const rules = named.map((text) => readRule(text, "allow", "user")!);
  expect(decidePermission("default", rules, call).decision).toBe("allow");
});

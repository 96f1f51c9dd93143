import { expect, test } from "vitest";
import type { ToolAccess } from "./agent-tool.ts";
import { offeredRules } from "./allowing-rules.ts";
import { decidePermission, type PermissionMode } from "./decide-permission.ts";
import { type PermissionCall, toPermissionCall } from "./permission-call.ts";
import { type Rule, readRule } from "./rule.ts";

const BASH: ToolAccess = { name: "Bash", effect: "run", commands: "none" };
const WEB: ToolAccess = { name: "WebFetch", effect: "read", network: "always" };
const SERVER: ToolAccess = { name: "mcp__tiny__run", effect: "run" };
const EDIT: PermissionCall = {
  tool: "Edit",
  effect: "write",
  paths: ["src/a.ts"],
  place: "inside",
  hosts: [],
  enclosure: "none",
  base: { folder: "/work/project", home: "/home/user" },
};
const guard = {
  roots: ["/work/project"],
  locate: async (path: string) => ({ kind: "inside", path: `/work/project/${path}`, root: "/work/project" }) as const,
};

const toCall = (tool: ToolAccess, input: object): Promise<PermissionCall> =>
  toPermissionCall(tool, input, { guard, home: "/home/user" });

function offered(mode: PermissionMode, rules: readonly Rule[], call: PermissionCall): readonly string[] {
  return offeredRules(mode, rules, call, decidePermission(mode, rules, call));
}

test.each<[string, readonly string[]]>([
  ["npm test -- a.test.ts", ["Bash(npm test *)"]],
  ["npm run build", ["Bash(npm run build *)"]],
  ["npm test 2>&1 | tail -5", ["Bash(npm test *)", "Bash(tail -5)"]],
  ["git status && git status -s", ["Bash(git status *)"]],
  ["git -C sub status", ["Bash(git -C sub status)"]],
  ["ls -la | wc -l", ["Bash(ls -la)", "Bash(wc -l)"]],
  ["./run.sh", ["Bash(./run.sh)"]],
  ["python3 x.py", ["Bash(python3 x.py)"]],
  ["python3 -c 'print(1)'", ["Bash(python3 -c 'print(1)')"]],
  ["FOO=1 npm test", ["Bash(FOO=1 npm test)"]],
  ["timeout 5 npm test", ["Bash(npm test *)"]],
  ["sudo npm test", ["Bash(sudo npm test)"]],
  ["echo hi > out.txt", ["Bash(echo hi)", "Edit(out.txt)"]],
  ["cat <<'E' > a.md\ntext\nE", ["Bash(cat)", "Edit(a.md)"]],
  ["echo $(date)", []],
  ["ls $DIR", []],
  ["ls *.ts", []],
  ["echo hi > .git/hooks/pre-commit", []],
  ["curl x | sh", []],
  ["a; b; c; d", ["Bash(a)", "Bash(b)", "Bash(c)", "Bash(d)"]],
  ["a; b; c; d; e", []],
  ["if", []],
])("the rules that are offered are bound, and allow the call: %s", async (command, expected) => {
  const call = await toCall(BASH, { command });
  expect(decidePermission("default", [], call).decision).toBe("ask");
  const named = offered("default", [], call);
  expect(named).toEqual(expected);
  const rules = named.map((text) => readRule(text, "allow", "user")!);
  expect(decidePermission("default", rules, call).decision).toBe(expected.length === 0 ? "ask" : "allow");
});

test("the network never comes along with a command, and a page is allowed by its host", async () => {
  expect(
    offered("default", [], await toCall(BASH, { command: "npm install", network: ["registry.npmjs.org"] })),
  ).toEqual([]);
  expect(offered("default", [], await toCall(BASH, { command: "npm install", network: true }))).toEqual([]);
  const page = await toCall(WEB, { url: "https://docs.example/x" });
  expect(offered("default", [], page)).toEqual(["WebFetch(docs.example)"]);
  const rules = [readRule("WebFetch(docs.example)", "allow", "user")!];
  expect(decidePermission("default", rules, page).decision).toBe("allow");
  expect(decidePermission("default", rules, await toCall(WEB, { url: "https://evil.example/?q" })).decision).toBe(
    "ask",
  );
  const command = await toCall(BASH, { command: "curl x", network: ["docs.example"] });
  expect(decidePermission("default", [...rules, readRule("Bash(curl *)", "allow", "user")!], command).decision).toBe(
    "ask",
  );
});

test("files are allowed by their paths, and tools of servers by their names", async () => {
  expect(offered("default", [], EDIT)).toEqual(["Edit(src/a.ts)"]);
  expect(offered("default", [], { ...EDIT, paths: ["link.ts", "src/a.ts"] })).toEqual([
    "Edit(link.ts)",
    "Edit(src/a.ts)",
  ]);
  const protectedFile = { ...EDIT, paths: [".github/workflows/a.yml"], place: "protected" } as const;
  expect(offered("default", [], protectedFile)).toEqual(["Edit(.github/workflows/a.yml)"]);
  expect(offered("default", [], { ...EDIT, paths: ["a*"] })).toEqual([]);
  expect(offered("default", [], await toCall(SERVER, { command: "rm x" }))).toEqual(["mcp__tiny__run"]);
});

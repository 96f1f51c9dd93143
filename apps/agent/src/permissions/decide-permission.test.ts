import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { object } from "palimpsest/schema";
import { describe, expect, test } from "vitest";
import { processorMs } from "../../../../test/processor-ms.ts";
import { agentTool, done } from "../extension/make-tool.ts";
import { isProtected } from "../sandbox/protected-names.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import { decidePermission, type PermissionMode } from "./decide-permission.ts";
import { type CommandLine, type PermissionCall, toPermissionCall } from "./permission-call.ts";
import { type Rule, readRule } from "./rule.ts";
import { parseLine } from "./shell/parse-line.ts";
import { touchedPaths } from "./shell/touched-paths.ts";

const MODES: readonly PermissionMode[] = ["auto", "default", "accept-edits", "plan", "bypass"];
const BASE = { folder: "/work/project", home: "/home/user" };
const ANY = { paths: [], place: "inside", hosts: [], enclosure: "none", base: BASE } as const;

function call(tool: string, about: Partial<PermissionCall> = {}): PermissionCall {
  const effect = { Read: "read", Edit: "write", Bash: "run" }[tool] ?? "talk";
  return { ...ANY, tool, effect: effect as PermissionCall["effect"], ...about };
}
const bash = (text: string, about: Partial<PermissionCall> = {}) =>
  call("Bash", { command: commandOf(text), place: "none", ...about });
const edit = (path: string, about: Partial<PermissionCall> = {}) => call("Edit", { paths: [path], ...about });

/** All paths lie in the project but for absolute ones. */
function commandOf(text: string): CommandLine {
  const line = parseLine(text);
  const touched = touchedPaths(line).map(({ path, access, by }) => {
    const place =
      path === "/dev/null" ? "system" : /^[/~]/.test(path) ? "outside" : isProtected(path) ? "protected" : "inside";
    return { paths: [path], access, by, place } as const;
  });
  return { text, line, touched };
}

function rules(...lines: readonly string[]): Rule[] {
  return lines.map((line) => {
    const [decision, text] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
    return readRule(text, decision as Rule["decision"], "user")!;
  });
}

test.each<[PermissionCall, Record<PermissionMode, string>]>([
  [
    call("Read", { paths: ["a"] }),
    { auto: "allow", default: "allow", "accept-edits": "allow", plan: "allow", bypass: "allow" },
  ],
  [
    call("Read", { paths: ["/etc"], place: "outside" }),
    { auto: "deny", default: "deny", "accept-edits": "deny", plan: "deny", bypass: "deny" },
  ],
  [edit("a"), { auto: "ask", default: "ask", "accept-edits": "allow", plan: "deny", bypass: "allow" }],
  [
    edit(".git/hooks/x", { place: "protected" }),
    { auto: "ask", default: "ask", "accept-edits": "ask", plan: "deny", bypass: "allow" },
  ],
  [bash("ls"), { auto: "ask", default: "ask", "accept-edits": "ask", plan: "ask", bypass: "allow" }],
  [
    bash("ls", { hosts: ["a.example"] }),
    { auto: "ask", default: "ask", "accept-edits": "ask", plan: "ask", bypass: "allow" },
  ],
  [call("Todo"), { auto: "allow", default: "allow", "accept-edits": "allow", plan: "allow", bypass: "allow" }],
])("without rules the mode decides: %j", (wanted, decisions) => {
  for (const mode of MODES)
    expect([mode, decidePermission(mode, [], wanted).decision]).toEqual([mode, decisions[mode]]);
});

/** Where a rule that allows meets a mode and a place: what each decides alone is not enough to know. */
test.each<[string, PermissionCall, Record<PermissionMode, string>]>([
  [
    "allow Bash",
    bash("ls"),
    { auto: "allow", default: "allow", "accept-edits": "allow", plan: "ask", bypass: "allow" },
  ],
  [
    "allow Bash(ls *)",
    bash("ls"),
    { auto: "allow", default: "allow", "accept-edits": "allow", plan: "ask", bypass: "allow" },
  ],
  [
    "allow Edit",
    edit("a"),
    { auto: "allow", default: "allow", "accept-edits": "allow", plan: "deny", bypass: "allow" },
  ],
  [
    "allow Edit",
    edit(".git/hooks/post-merge", { place: "protected" }),
    { auto: "ask", default: "ask", "accept-edits": "ask", plan: "deny", bypass: "allow" },
  ],
  [
    "allow Edit(.git/hooks/*)",
    edit(".git/hooks/post-merge", { place: "protected" }),
    { auto: "allow", default: "allow", "accept-edits": "allow", plan: "deny", bypass: "allow" },
  ],
])("%s, in each mode: %j", (rule, wanted, decisions) => {
  for (const mode of MODES)
    expect([mode, decidePermission(mode, rules(rule), wanted).decision]).toEqual([mode, decisions[mode]]);
});

describe("rules", () => {
  test.each([
    ["allow Bash(npm test *)", "npm test", "allow"],
    ["allow Bash(npm test *)", "npm  test --watch 'a b'", "allow"],
    ["allow Bash(npm test)", "npm test x", "ask"],
    ["allow Bash(npm *)", "npm test && npm run build | npm x; npm y", "allow"],
    ["allow Bash(npm *)", "npm test && rm -rf .", "ask"],
    ["allow Bash", "anything; $(at all)", "allow"],
    ["deny Bash(rm *)", "rm -rf .", "deny"],
    ["deny Bash(rm *)", "ls && sudo rm -rf .", "deny"],
    ["deny Bash(rm *)", "ls $(rm x)", "deny"],
    ["deny Bash(rm *)", "FOO=1 r\\m x", "deny"],
    ["ask Bash(git push *)", "true; git push", "ask"],
    ["allow Bash(git status *)", "git status", "allow"],
    ["allow Bash(git status *)", "git statusx", "ask"],
    ["allow Bash(git status *)", "git status-all --force", "ask"],
  ])("%s: %s", (rule, command, decision) => {
    expect(decidePermission("default", rules(rule), bash(command)).decision).toBe(decision);
  });

  test.each([
    ...[
      "npm test; rm x",
      "npm test\nrm x",
      "npm test & rm x",
      "npm test | sh",
      "npm $(rm x)",
      "npm `rm x`",
      "npm <(rm x)",
    ],
    ...[
      "npm test > ~/.bashrc",
      "npm test > a.txt",
      "npm < /etc/passwd",
      'npm "$(rm x)"',
      'npm "`rm x`"',
      "PATH=. npm test",
    ],
    ...[
      "npm $IFS",
      "npm \u0000rm",
      "npm {a,b}",
      "npm 'test",
      "'npm test'",
      "npm\\ test",
      "/tmp/npm test",
      "npm() { rm x; }; npm test",
    ],
    ...[
      "bash -c 'npm test; rm x'",
      "sudo npm test",
      "xargs npm test",
      "find . -exec npm {} +",
      "env PATH=. npm test",
      "N=1",
      "npm 2>a",
    ],
  ])("everything in a line has to be known and fit: %j", (command) => {
    expect(decidePermission("default", rules("allow Bash(npm *)"), bash(command)).decision).toBe("ask");
  });

  test.each([
    ...[
      "npm test 2>&1",
      "npm test >/dev/null",
      "npm < x",
      "(npm test)",
      "npm test # rm x",
      "npm \\\nrm",
      "npm 'a\nb'",
      "npm !x",
    ],
    ...[
      "npm test &",
      "if npm test; then npm x; fi",
      "timeout 5 npm test",
      "bash -c 'npm test'",
      "env npm test",
      "npm a$'\\n'b",
    ],
    ...["npm test <<E\ntext\nE", "time npm test", "npm *.ts"],
  ])("where it does, the line is allowed: %j", (command) => {
    expect(decidePermission("default", rules("allow Bash(npm *)"), bash(command)).decision).toBe("allow");
  });

  test.each([
    ["allow Edit(src/**)", ["src/a/b.ts"], "allow"],
    ["allow Edit(src/*)", ["src/a/b.ts"], "allow"],
    ["allow Edit(src/*.ts)", ["src/a/b.ts"], "ask"],
    ["allow Edit(src/**)", ["src/link.ts", "secret/a.ts"], "ask"],
    ["allow Edit(src)", ["src-backup/a.ts"], "ask"],
    ["allow Edit(*.md)", ["a/b.md"], "allow"],
    ["deny Edit(.env)", ["a/.env"], "deny"],
    ["deny Edit(secret/**)", ["src/link.ts", "secret/a.ts"], "deny"],
    ["deny *(.env)", [".env"], "deny"],
    ["deny Write(.github/**)", [".github/CODEOWNERS"], "deny"],
    ["deny Edit(./secret.txt)", ["secret.txt"], "deny"],
    ["deny Edit(./secret.txt)", ["sub/secret.txt"], "ask"],
    ["deny Edit(secrets/)", ["a/secrets/b"], "deny"],
    ["deny Edit(sub/../secret.txt)", ["secret.txt"], "deny"],
    ["deny Edit(/work/project/secret.txt)", ["secret.txt"], "deny"],
    ["deny Edit(/work/project/secret.txt)", ["sub/secret.txt"], "ask"],
    ["deny Edit(/work/other)", ["/work/other/a"], "deny"],
    ["deny Edit(~/.ssh)", ["/home/user/.ssh/id"], "deny"],
    ["deny Edit(../other)", ["/work/other/a"], "deny"],
    ["deny Edit(.)", ["a/b"], "deny"],
    ["allow Edit(./src)", ["src/a"], "allow"],
    ["allow Write(src/)", ["src/a"], "allow"],
    ["allow Edit(/work/project/src)", ["src/a"], "allow"],
    ["allow Edit(/work/project)", ["src/a"], "allow"],
    ["allow Edit(~)", ["/home/user/x"], "allow"],
    ["allow Edit(~x)", ["/home/userx"], "ask"],
  ])("%s: %j", (rule, paths, decision) => {
    expect(decidePermission("default", rules(rule), call("Edit", { paths })).decision).toBe(decision);
  });

  test.each(["Read", "Grep", "Glob"])("what may not be read is not searched: %s", (tool) => {
    const wanted = call(tool, { effect: "read", paths: ["secrets/a"] });
    expect(decidePermission("default", rules("deny Read(secrets)"), wanted).decision).toBe("deny");
    expect(decidePermission("default", rules("deny Grep(secrets)"), wanted).decision).toBe(
      tool === "Grep" ? "deny" : "allow",
    );
  });

  test("the network has rules of its own", () => {
    const wanted = bash("npm install", { hosts: ["registry.npmjs.org"], enclosure: "sandbox" });
    expect(decidePermission("default", rules("allow Bash(npm *)"), wanted)).toMatchObject({
      decision: "ask",
      reason: "It wants to reach registry.npmjs.org.",
    });
    expect(decidePermission("default", rules("allow Bash(npm *)", "allow Network"), wanted).decision).toBe("allow");
    expect(decidePermission("bypass", rules("deny Network"), wanted).decision).toBe("deny");
  });

  test("a verdict names its rule", () => {
    expect(decidePermission("bypass", rules("deny Bash(rm *)"), bash("rm x"))).toEqual({
      decision: "deny",
      rule: { decision: "deny", tool: "Bash", pattern: "rm *", from: "user" },
      reason: "A rule says so: deny Bash(rm *) (user).",
    });
  });

  test("of any rules, one that forbids holds, and one that asks holds against one that allows", () => {
    const line = fc.constantFrom(
      "allow Bash",
      "allow Bash(ls *)",
      "ask Bash(ls *)",
      "deny Bash(ls *)",
      "allow Edit",
      "deny Read",
      "ask Network",
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom(...MODES), (lines, mode) => {
        const { decision } = decidePermission(mode, rules(...lines), bash("ls"));
        if (lines.includes("deny Bash(ls *)")) expect(decision).toBe("deny");
        else if (lines.includes("ask Bash(ls *)")) expect(decision).toBe("ask");
      }),
    );
  });

  test("a pattern of any number of stars takes no long time; one of a thousand characters is no rule", async () => {
    expect(readRule(`Read(${"*a".repeat(600)})`, "deny", "project")).toBeUndefined();
    decidePermission("default", rules(`deny Bash(${"* ".repeat(200)}\u0001)`), bash("and on ".repeat(2_000)));
    const deep = call("Read", { paths: ["a/".repeat(1_000)] });
    const usedMs = await processorMs(() => decidePermission("default", rules("deny Read(**/a*/**/b*/c*)"), deep));
    expect(usedMs).toBeLessThan(500);
  });
});

test("a path is judged by what it leads to", async () => {
  const { folder } = temporaryProject({ "secret/a.txt": "a" });
  symlinkSync("secret/a.txt", join(folder, "link.txt"));
  symlinkSync("/etc", join(folder, "etc"));
  const guard = await createPathGuard(folder);
  const tool = agentTool({
    name: "Edit",
    description: "",
    inputSchema: object({}),
    concurrency: "alone",
    effect: "write",
    execute: async () => done(""),
  });
  const toCall = (file_path: string) => toPermissionCall(tool, { file_path }, { guard, home: "/home/user" });
  expect(await toCall("link.txt")).toMatchObject({ paths: ["link.txt", "secret/a.txt"], place: "inside" });
  expect(await toCall(`${folder}/x/../secret/a.txt`)).toMatchObject({ paths: ["secret/a.txt"], place: "inside" });
  expect(await toCall("etc/hosts")).toMatchObject({ place: "outside" });
  // Though none of them exists yet.
  for (const path of [
    ".git/hooks/post-merge",
    "sub/.git/config",
    ".palimpsest/settings.json",
    ".PALIMPSEST/x",
    ".envrc",
  ]) {
    expect(await toCall(path)).toMatchObject({ place: "protected" });
  }
});

test("a command asks where the sandbox does not guard all of the project, and only a command is looked at for that", async () => {
  const { folder } = temporaryProject({ "a.txt": "" });
  let asked = 0;
  const places = {
    guard: await createPathGuard(folder),
    enclosure: "sandbox",
    unguarded: async () => {
      asked++;
      return "It is too large.";
    },
  } as const;
  const ls = await toPermissionCall({ name: "Bash", effect: "run", commands: "sandbox" }, { command: "ls" }, places);
  expect(decidePermission("auto", [], ls)).toEqual({ decision: "ask", reason: "It is too large." });
  expect(decidePermission("auto", rules("allow Bash(ls)"), ls)).toMatchObject({ decision: "allow" });
  const change = await toPermissionCall({ name: "Edit", effect: "write" }, { file_path: "a.txt" }, places);
  expect(decidePermission("auto", [], change)).toMatchObject({ decision: "allow" });
  expect(asked).toBe(1);
});

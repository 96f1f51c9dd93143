import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ToolAccess } from "../../apps/agent/src/permissions/agent-tool.ts";
import { attendedPermission } from "../../apps/agent/src/permissions/attended-permission.ts";
import { headlessPermission } from "../../apps/agent/src/permissions/headless-permission.ts";
import { type PermissionMode, type Rule, readRule } from "../../apps/agent/src/permissions/rule.ts";
import { createPathGuard, type PathGuard } from "../../apps/agent/src/workspace/path-guard.ts";
import { decidePermission } from "../../packages/palimpsest/src/turn/permission.ts";

const MODES: readonly PermissionMode[] = ["auto", "default", "accept-edits", "plan", "bypass"];
const RULES = ["none", "allow tool", "allow this", "ask this", "deny this", "deny network"] as const;
const HOOKS = ["none", "allow", "deny"] as const;
const SANDBOXES = ["sandbox", "none"] as const;
const PEOPLE = ["yes", "no", "nobody"] as const;

type Place = "inside" | "protected" | "outside";

interface Kind {
  readonly tool: "Read" | "Edit" | "Bash";
  readonly place: Place;
  readonly input: Readonly<Record<string, unknown>>;
  /** The pattern of a rule for this call alone. */
  readonly pattern: string;
  readonly wants?: "network";
  readonly text?: "unreadable";
}

const KINDS: readonly Kind[] = [
  { tool: "Read", place: "inside", input: { file_path: "src/a.ts" }, pattern: "src/**" },
  { tool: "Read", place: "outside", input: { file_path: "/outside/a" }, pattern: "/outside/**" },
  { tool: "Read", place: "outside", input: { file_path: "link/a" }, pattern: "link/**" },
  { tool: "Edit", place: "inside", input: { file_path: "src/a.ts" }, pattern: "src/**" },
  { tool: "Edit", place: "protected", input: { file_path: ".git/hooks/pre-commit" }, pattern: ".git/hooks/*" },
  { tool: "Bash", place: "inside", input: { command: "npm test 2>&1 | npm x" }, pattern: "npm *" },
  { tool: "Bash", place: "outside", input: { command: "cat ~/.ssh/id" }, pattern: "cat *" },
  { tool: "Bash", place: "outside", input: { command: "cat link/id" }, pattern: "cat *" },
  { tool: "Bash", place: "protected", input: { command: "rm .git/hooks/x" }, pattern: "rm *" },
  {
    tool: "Bash",
    place: "inside",
    input: { command: "npm i", network: ["a.example"] },
    pattern: "npm *",
    wants: "network",
  },
  { tool: "Bash", place: "inside", input: { command: "if npm test" }, pattern: "npm *", text: "unreadable" },
];

interface Case {
  readonly mode: PermissionMode;
  readonly rule: (typeof RULES)[number];
  readonly kind: Kind;
  readonly hook: (typeof HOOKS)[number];
  readonly sandbox: (typeof SANDBOXES)[number];
  readonly person: (typeof PEOPLE)[number];
}

const CASES: readonly Case[] = MODES.flatMap((mode) =>
  RULES.flatMap((rule) =>
    KINDS.flatMap((kind) =>
      HOOKS.flatMap((hook) =>
        SANDBOXES.flatMap((sandbox) => PEOPLE.map((person) => ({ mode, rule, kind, hook, sandbox, person }))),
      ),
    ),
  ),
);

/** What a careful reader of docs/guides/permissions.md would say. It shares nothing with the code. */
function expected({ mode, rule, kind, hook, sandbox, person }: Case): "allow" | "deny" {
  const answer = policy();
  if (answer !== "ask") return answer;
  if (hook !== "none") return hook;
  return person === "yes" ? "allow" : "deny";

  function policy(): "allow" | "deny" | "ask" {
    const { tool, place, wants, text } = kind;
    const isCommand = tool === "Bash";
    // A rule that may hold, for all that can be seen, asks.
    if (rule === "deny this") return text === "unreadable" ? "ask" : "deny";
    if (rule === "deny network" && isCommand && (wants === "network" || sandbox === "none")) return "deny";
    if (rule === "ask this") return "ask";
    if (mode === "plan" && tool === "Edit") return "deny";
    const isCovered =
      (rule === "allow tool" && !(tool === "Edit" && place === "protected")) ||
      (rule === "allow this" && text !== "unreadable");
    const own = isCovered && !(mode === "plan" && isCommand) ? "allow" : byMode();
    if (own === "deny") return "deny";
    return wants === "network" && mode !== "bypass" ? "ask" : own;
  }

  function byMode(): "allow" | "deny" | "ask" {
    const { tool, place, text } = kind;
    if (tool !== "Bash" && place === "outside") return "deny";
    if (mode === "bypass" || tool === "Read") return "allow";
    const isEnclosed = mode === "auto" && sandbox === "sandbox";
    if (place !== "inside" || text === "unreadable") return "ask";
    return isEnclosed || (mode === "accept-edits" && tool === "Edit") ? "allow" : "ask";
  }
}

let base: string;
let guard: PathGuard;

beforeAll(async () => {
  base = mkdtempSync(join(realpathSync(tmpdir()), "permission-table-"));
  mkdirSync(join(base, "project/src"), { recursive: true });
  symlinkSync("/var/lib", join(base, "project/link"));
  guard = await createPathGuard(join(base, "project"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function rulesOf({ rule, kind: { tool, pattern } }: Case): Rule[] {
  if (rule === "none") return [];
  if (rule === "deny network") return [readRule("Network", "deny", "user")!];
  const decision = rule.split(" ")[0] as Rule["decision"];
  const real = pattern === "link/**" && decision === "allow" ? ["link/**", "/var/lib/**"] : [pattern];
  return (rule === "allow tool" ? [tool] : real.map((one) => `${tool}(${one})`)).map(
    (text) => readRule(text, decision, "user")!,
  );
}

async function decide(wanted: Case): Promise<string> {
  const { mode, kind, hook, sandbox, person } = wanted;
  const tools = new Map<string, ToolAccess>([
    ["Read", { name: "Read", effect: "read" }],
    ["Edit", { name: "Edit", effect: "write" }],
    ["Bash", { name: "Bash", effect: "run", commands: sandbox }],
  ]);
  const ports = {
    tools,
    guard,
    home: "/home/nobody-here",
    enclosure: sandbox,
    rules: rulesOf(wanted),
    mode: () => mode,
  };
  const { permission, askHost } =
    person === "nobody"
      ? headlessPermission(ports)
      : attendedPermission({
          ...ports,
          agentOf: () => ({ kind: "main" }),
          places: { agentHome: base, project: base },
          person: {
            askPermission: async () => (person === "yes" ? { kind: "once" } : { kind: "deny", comment: "" }),
          },
        });
  const events = {
    runHooks: async () => ({ outputs: hook === "none" ? [] : [{ output: { decision: hook } }] }),
  } as unknown as Parameters<typeof decidePermission>[1]["session"]["events"];
  const call = { kind: "tool_call", id: "1", name: kind.tool, input: kind.input } as const;
  const { signal } = new AbortController();
  const { kind: decision } = await decidePermission(
    { call, input: kind.input },
    { session: { id: "s", events }, permission, askHost, signal },
  );
  return decision;
}

test("mode x rule x place x hook x sandbox x person: each verdict is the expected one", async () => {
  const wrong: string[] = [];
  for (const one of CASES) {
    const decision = await decide(one);
    if (decision !== expected(one)) wrong.push(`${JSON.stringify(one)}: ${decision} instead of ${expected(one)}`);
  }
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(CASES.length).toBe(5_940);
});

test("the table has cases of each verdict in every mode", () => {
  for (const mode of MODES) {
    const verdicts = CASES.filter((one) => one.mode === mode).map(expected);
    expect(new Set(verdicts)).toEqual(new Set(["allow", "deny"]));
  }
});

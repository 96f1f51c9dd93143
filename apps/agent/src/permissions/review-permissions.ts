import type { Sandbox } from "../sandbox/open-sandbox.ts";
import { policyText } from "../sandbox/policy-text.ts";
import { table } from "../text/table.ts";
import type { PathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import { offeredRules } from "./allowing-rules.ts";
import { decidePermission } from "./decide-permission.ts";
import { removeRule } from "./kept-rules.ts";
import { exceptionalPrograms, withoutSandbox } from "./outside-programs.ts";
import { type PermittedTool, toPermissionCall } from "./permission-call.ts";
import type { PermissionMode } from "./permission-verdict.ts";
import { type Rule, type RuleOwner, readRule } from "./rule.ts";
import { unguardedReason } from "./session-sandbox.ts";
import type { AgentSettings } from "./settings.ts";
import { MODES } from "./settings-schema.ts";

/** What holds now. */
export interface HeldPermissions {
  readonly mode: PermissionMode;
  /** A rule that is removed is taken out. */
  readonly rules: Rule[];
  readonly settings: Pick<AgentSettings, "hooks" | "servers" | "sandbox">;
  readonly sandbox: Sandbox;
  readonly guard: PathGuard;
  readonly places: Pick<Places, "home" | "agentHome" | "project">;
}

const OWNERS: Readonly<Record<RuleOwner, string>> = {
  user: "your settings.json, everywhere",
  local: "your rules for this project",
  project: "the project's .palimpsest/settings.json",
  session: "until this session ends",
  "command line": "the command line",
};

/** The mode, the rules with where they come from, and what the sandbox lets commands do. */
export function listPermissions({ mode, rules, settings, sandbox }: HeldPermissions): string {
  const rows = (["deny", "ask", "allow"] as const).flatMap((decision) =>
    rules.filter((rule) => rule.decision === decision).map((rule) => [decision, textOf(rule), OWNERS[rule.from]]),
  );
  const policy =
    sandbox.kind === "none"
      ? [withoutSandbox({ ...settings, mode }, sandbox.reason)]
      : [...policyText(sandbox.policy), ...exceptionalPrograms(settings)];
  return [
    `Mode ${mode}: ${MODES[mode]}.`,
    rows.length === 0 ? "There are no rules." : table(rows),
    `Sandbox ${sandbox.kind}:`,
    ...policy.map((line) => `  ${line}`),
  ].join("\n");
}

const TOOLS: Readonly<Record<string, PermittedTool["effect"]>> = {
  Read: "read",
  Grep: "read",
  Glob: "read",
  Edit: "edit",
  Write: "edit",
};

/** What would happen to a call and why. @param wanted a command, or a tool with a path: `Edit(src/a.ts)` */
export async function explainCall(wanted: string, held: HeldPermissions): Promise<string> {
  const { mode, rules, sandbox, guard, places } = held;
  const enclosure = sandbox.kind === "none" ? "none" : "sandbox";
  const [, name = "", path] = /^(\w+)\((.+)\)$/s.exec(wanted) ?? [];
  const effect = TOOLS[name];
  const bash: PermittedTool = { name: "Bash", effect: "execute", commands: enclosure };
  const tool = effect === undefined ? bash : { name, effect };
  const input = effect === undefined ? { command: name === "Bash" ? path : wanted } : { file_path: path };
  const call = await toPermissionCall(tool, input, {
    guard,
    home: places.home,
    enclosure,
    unguarded: () => unguardedReason(sandbox),
  });
  const verdict = decidePermission(mode, rules, call);
  const offered = verdict.decision === "ask" ? offeredRules(mode, rules, call, verdict) : [];
  const word = { allow: "It runs without a question", ask: "It is asked about", deny: "It is refused" }[
    verdict.decision
  ];
  return [
    `${word} (mode ${mode}). ${verdict.reason}`,
    ...(offered.length === 0 ? [] : [`These rules would allow it: ${offered.join(", ")}`]),
  ].join("\n");
}

/** Takes a rule out of the user's settings and of this session. @param wanted as it is listed, with or without what it decides */
export async function removePermission(wanted: string, { rules, places }: HeldPermissions): Promise<string> {
  const [, decision, text = ""] = /^(?:(deny|ask|allow)\s+)?(.+)$/s.exec(wanted.trim()) ?? [];
  const known = readRule(text, "allow", "user");
  const found = rules.filter(
    (rule) => textOf(rule) === (known && textOf(known)) && (decision === undefined || rule.decision === decision),
  );
  if (found.length === 0) return `There is no rule ${wanted}. /permissions lists the rules.`;
  const lines: string[] = [];
  for (const rule of found) {
    const folder = { user: places.agentHome, local: places.project }[rule.from as string];
    if (rule.from === "project") {
      lines.push(`${rule.decision} ${textOf(rule)} is the project's own: change its .palimpsest/settings.json.`);
      continue;
    }
    if (folder !== undefined) await removeRule(folder, rule.decision, textOf(rule));
    rules.splice(rules.indexOf(rule), 1);
    lines.push(`Removed: ${rule.decision} ${textOf(rule)} (${OWNERS[rule.from]}).`);
  }
  return lines.join("\n");
}

function textOf({ tool, pattern }: Rule): string {
  return pattern === undefined ? tool : `${tool}(${pattern})`;
}

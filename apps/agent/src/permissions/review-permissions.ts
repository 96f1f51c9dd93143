import type { Sandbox } from "../sandbox/open-sandbox.ts";
import { policyText } from "../sandbox/policy.ts";
import { table } from "../text/table.ts";
import type { PathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import type { ToolAccess } from "./agent-tool.ts";
import { offeredRules } from "./allowing-rules.ts";
import { removeRule } from "./attended-permission.ts";
import { decidePermission } from "./decide-permission.ts";
import { toPermissionCall } from "./permission-call.ts";
import { hookLine, hookText, type ProgramSetting, programText, serverText } from "./program-setting.ts";
import { type PermissionMode, type Rule, type RuleOwner, readRule } from "./rule.ts";
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

const TOOLS: Readonly<Record<string, ToolAccess["effect"]>> = {
  Read: "read",
  Grep: "read",
  Glob: "read",
  Edit: "write",
  Write: "write",
};

/** What would happen to a call and why. @param wanted a command, or a tool with a path: `Edit(src/a.ts)` */
export async function explainCall(wanted: string, held: HeldPermissions): Promise<string> {
  const { mode, rules, sandbox, guard, places } = held;
  const enclosure = sandbox.kind === "none" ? "none" : "sandbox";
  const [, name = "", path] = /^(\w+)\((.+)\)$/s.exec(wanted) ?? [];
  const effect = TOOLS[name];
  const bash: ToolAccess = { name: "Bash", effect: "run", commands: enclosure };
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

type Named = Pick<AgentSettings, "hooks" | "servers">;

/** The hooks and servers that the user's settings let out of the sandbox, one line each. */
export function outsidePrograms({ hooks, servers }: Named): readonly string[] {
  const programs = servers.filter((server) => "command" in server);
  return [
    ...hooks.filter(isOutside).map((hook) => `hook at ${hook.event}: ${hookLine(hook)}`),
    ...programs.filter(isOutside).map(({ name, command }) => `server ${name}: ${command.join(" ")}`),
  ];
}

/** Hooks and servers that the settings treat otherwise than commands, one line each. */
export function exceptionalPrograms({ hooks, servers }: Named): readonly string[] {
  const programs = servers.filter((server) => "command" in server);
  return [
    ...hooks.filter((hook) => programText(hook) !== "").map(hookText),
    ...programs.filter((server) => programText(server) !== "").map(serverText),
  ];
}

/** What a start says of programs that nothing encloses: one line, or none. */
export function openingText(
  settings: Named & Pick<AgentSettings, "sandbox" | "mode">,
  sandbox: Sandbox,
): readonly string[] {
  if (sandbox.kind === "none") return [withoutSandbox(settings, sandbox.reason)];
  const names = outsidePrograms(settings);
  return names.length === 0 ? [] : [`Outside of the sandbox, as your settings say: ${names.join("; ")}.`];
}

/** Why there is no sandbox, and what runs all the same. Hooks and servers do not ask: the user has written or trusted them. */
export function withoutSandbox(
  { hooks, servers, sandbox, mode }: Named & Pick<AgentSettings, "sandbox" | "mode">,
  reason: string,
  heading = "No sandbox",
): string {
  const because = `${heading}: ${reason}`;
  const programs = servers.filter((server) => "command" in server);
  const counts = [counted(hooks.length, "hook"), counted(programs.length, "MCP server")].filter((text) => text !== "");
  if (sandbox === "required") {
    const others = counts.length === 0 ? [] : ['Hooks and MCP servers run only with "sandbox": "off".'];
    return [because, "Your settings require one, so no command is run.", ...others].join(" ");
  }
  const asked = mode === "bypass" ? "in the mode bypass they do not ask" : "none runs unless you allow it";
  const run = hooks.length + programs.length === 1 ? "runs" : "run";
  const others = counts.length === 0 ? [] : [`${counts.join(" and ")} of your settings ${run} without asking.`];
  return [because, `Commands have all your rights; ${asked}.`, ...others].join(" ");
}

function isOutside({ sandbox }: ProgramSetting): boolean {
  return sandbox === "off";
}

function counted(count: number, noun: string): string {
  return count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
}

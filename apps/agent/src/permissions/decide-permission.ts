import { shellTokens } from "palimpsest/inspect";
import { fitsGlob, fitsPath, mayFitGlob, placePattern } from "./glob.ts";
import type { CommandLine, LocatedPath, PermissionCall } from "./permission-call.ts";
import { fitsCommand, fitsTool, type PermissionMode, type PermissionVerdict, type Rule, ruleText } from "./rule.ts";
import { changesGitSettings, commandForms, commandText } from "./shell/command-forms.ts";
import { unknownOptions } from "./shell/harmless-options.ts";
import { allCommands, type ShellCommand } from "./shell/shell-line.ts";

export type { PermissionMode, PermissionVerdict };

/**
 * Whether a call may run. Rules that forbid hold before those that ask, and these before those that allow, in every mode:
 * the mode decides only where no rule does. A tool that is denied stays in the list: taking it out would change the prompt.
 */
export function decidePermission(
  mode: PermissionMode,
  rules: readonly Rule[],
  call: PermissionCall,
): PermissionVerdict {
  const own = decideOne(mode, rules, call);
  if (own.decision === "deny") return own;
  const network = decideNetwork(mode, rules, call);
  return network.decision === "allow" ? own : network;
}

function decideOne(mode: PermissionMode, rules: readonly Rule[], call: PermissionCall): PermissionVerdict {
  const narrowing = decideByNarrowing(rules, call);
  if (narrowing !== undefined) return narrowing;
  const refused = mode === "plan" ? refusedInPlan(call) : undefined;
  if (refused !== undefined) return refused;
  const allowing = rules.filter(({ decision }) => decision === "allow");
  const rule = coveringRule(mode, allowing, call);
  if (rule !== undefined && (mode !== "plan" || call.effect !== "run")) {
    return { decision: "allow", rule, reason: `A rule says so: ${ruleText(rule)}.` };
  }
  return decideByMode(mode, call);
}

/** By the rules that forbid and ask. Where one of them might hold, somebody has to look. */
function decideByNarrowing(rules: readonly Rule[], call: PermissionCall): PermissionVerdict | undefined {
  let perhaps: PermissionVerdict | undefined;
  for (const decision of ["deny", "ask"] as const) {
    for (const rule of rules.filter((one) => one.decision === decision)) {
      const concern = concernsCall(rule, call);
      if (concern.kind === "yes") return { decision, rule, reason: `A rule says so: ${ruleText(rule)}.` };
      if (concern.kind === "perhaps") {
        const reason = `It may do what a rule is about: ${ruleText(rule)}. Not all of it can be seen: ${concern.why}.`;
        perhaps ??= { decision: "ask", rule, reason };
      }
    }
  }
  return perhaps;
}

function refusedInPlan({ effect }: PermissionCall): PermissionVerdict | undefined {
  if (effect !== "write") return undefined;
  return {
    decision: "deny",
    reason: "While a plan is being made, no file is changed. Present the plan with ExitPlan first.",
  };
}

function decideByMode(mode: PermissionMode, call: PermissionCall): PermissionVerdict {
  const { effect, place, command, enclosure } = call;
  if (effect === "talk") return { decision: "allow", reason: "It changes nothing outside of the conversation." };
  // No tool goes there, whatever anyone says, before the folder is added.
  if (place === "outside")
    return { decision: "deny", reason: "It lies outside of the project. The user can add the folder in the settings." };
  if (mode === "bypass") return { decision: "allow", reason: "The user wants not to be asked." };
  if (effect === "read") return { decision: "allow", reason: "It reads in the project." };
  const isAuto = mode === "auto" && enclosure === "sandbox";
  if (effect === "run") {
    if (isAuto && command !== undefined) return decideEnclosed(command, call.unguarded);
    const reason =
      command === undefined ? "Tools of servers and extensions ask before each call." : "It runs a command.";
    return { decision: "ask", reason };
  }
  if (place === "protected")
    return { decision: "ask", reason: "It changes what other programs run, or take their settings from." };
  if (mode === "accept-edits" || isAuto) return { decision: "allow", reason: "The user accepts edits in the project." };
  return { decision: "ask", reason: "It changes a file." };
}

/** The sandbox keeps a command in the project. What it needs beyond that it has to be asked for. */
function decideEnclosed({ line, touched }: CommandLine, unguarded: string | undefined): PermissionVerdict {
  if (unguarded !== undefined) return { decision: "ask", reason: unguarded };
  if (line.kind === "unparsed") return { decision: "ask", reason: `The command cannot be read: ${line.problem}.` };
  const outside = touched.find(({ place }) => place === "outside");
  if (outside !== undefined)
    return { decision: "ask", reason: `It names ${outside.paths.at(-1)}, which lies outside of the project.` };
  const changed = touched.find(({ place, access }) => place === "protected" && access === "write");
  if (changed !== undefined)
    return {
      decision: "ask",
      reason: `It changes ${changed.paths.at(-1)}, which other programs run or take their settings from.`,
    };
  if (changesGitSettings(line))
    return { decision: "ask", reason: "It changes settings of git, by which git may run programs." };
  return { decision: "allow", reason: "It runs in the sandbox, which keeps it in the project." };
}

/** Whether a rule that forbids or asks holds for a call. `perhaps`: a part of the line is not known before it runs. */
export type Concern = { readonly kind: "yes" | "no" } | { readonly kind: "perhaps"; readonly why: string };

const YES: Concern = { kind: "yes" };
const NO: Concern = { kind: "no" };

/** For rules that forbid or ask: anything in the call that fits is enough. */
export function concernsCall({ tool, pattern }: Rule, call: PermissionCall): Concern {
  const { command, base } = call;
  if (pattern === undefined) return fitsTool(tool, call.tool) ? YES : NO;
  const placed = placePattern(pattern, base);
  if (command === undefined) {
    return fitsTool(tool, call.tool) && call.paths.some((path) => fitsPath(placed, path)) ? YES : NO;
  }
  // A rule for files holds for those that a line names, too.
  const isTouched = command.touched.some(
    ({ paths, access }) =>
      fitsTool(tool, access === "write" ? "Edit" : "Read") && paths.some((path) => fitsPath(placed, path)),
  );
  if (isTouched) return YES;
  return fitsTool(tool, call.tool) ? concernsLine(pattern, command) : NO;
}

function concernsLine(pattern: string, { text, line }: CommandLine): Concern {
  if (fitsCommand(pattern, text.trim())) return YES;
  if (line.kind === "unparsed") return { kind: "perhaps", why: line.problem };
  const commands = allCommands(line.commands);
  const forms = commands.flatMap(commandForms);
  if (forms.some((form) => fitsCommand(pattern, form.text))) return YES;
  const unseen = commands.find((command) => command.unseen !== undefined)?.unseen;
  if (unseen !== undefined) return { kind: "perhaps", why: unseen.why };
  const open = forms.find((form) => form.beginning !== form.text && mayFitGlob(pattern, form.beginning, "text"));
  if (open !== undefined) return { kind: "perhaps", why: `what "${open.text}" becomes is not known before it runs` };
  if (!mentions(pattern, text, commands)) return NO;
  return { kind: "perhaps", why: `the line names "${nameIn(pattern).join(" ")}"` };
}

/** The words of a pattern before its first star: `git push` of `git push *`. */
function nameIn(pattern: string): readonly string[] {
  const words = pattern.split(" ").filter(Boolean);
  const star = words.findIndex((word) => word.includes("*"));
  return words.slice(0, star === -1 ? undefined : star).map((word) => word.slice(word.lastIndexOf("/") + 1));
}

/** Everything that a word of a shell, of a script or of a setting can stand between. */
const SEPARATORS = /[^\w.+-]/;

/**
 * Whether a line names a forbidden program anywhere, also in quotes and assignments. Many programs start others by ways that no list holds:
 * `split --filter='curl x'`, `[ -v 'a[$(curl x)]' ]`, `ln -s /usr/bin/curl k`.
 */
function mentions(pattern: string, text: string, commands: readonly ShellCommand[]): boolean {
  const name = nameIn(pattern).filter((word) => !word.startsWith("-"));
  if (name.length === 0) return false;
  const parsed = commands.flatMap(({ words, assignments }) => [...assignments, ...words].map((word) => word.text));
  const found = new Set([text, ...parsed].flatMap((one) => one.split(SEPARATORS)));
  return name.every((word) => found.has(word) || found.has(`-${word}`));
}

/** For rules that allow: everything in the call must fit, and be known. Each part of a line may fit another rule. */
export function coveringRule(mode: PermissionMode, allowing: readonly Rule[], call: PermissionCall): Rule | undefined {
  const rules = allowing.filter(({ tool }) => fitsTool(tool, call.tool));
  const unbound = rules.find(({ pattern }) => pattern === undefined);
  if (unbound !== undefined && call.place !== "protected") return unbound;
  if (call.command !== undefined) {
    const mayWrite = (path: LocatedPath): boolean => isWritable(path, mode, allowing, call);
    return ruleForLine(call.command, rules, mayWrite);
  }
  const found = call.paths.map((path) => ruleForPath(path, rules, call));
  return found.every((rule) => rule !== undefined) ? found[0] : undefined;
}

function ruleForPath(path: string, rules: readonly Rule[], { base }: PermissionCall): Rule | undefined {
  return rules.find(({ pattern }) => pattern !== undefined && fitsPath(placePattern(pattern, base), path));
}

function ruleForLine(
  { line, touched }: CommandLine,
  rules: readonly Rule[],
  mayWrite: (path: LocatedPath) => boolean,
): Rule | undefined {
  if (line.kind === "unparsed" || line.commands.length === 0) return undefined;
  const found = line.commands.map((command) => ruleForCommand(command, rules));
  const isKnown = line.redirects.every(({ target }) => target.state === "known");
  const opens = touched.filter(({ by }) => by === "redirect");
  const mayOpen = opens.every((path) => (path.access === "write" ? mayWrite(path) : path.place !== "outside"));
  return isKnown && mayOpen && found.every((rule) => rule !== undefined) ? found[0] : undefined;
}

/** The shell itself writes what `>` names, whatever the command is. */
function isWritable(
  { place, paths }: LocatedPath,
  mode: PermissionMode,
  allowing: readonly Rule[],
  call: PermissionCall,
): boolean {
  if (place === "system") return paths.some((path) => path.startsWith("/dev/")) || call.enclosure === "sandbox";
  if (place === "inside" && (mode === "accept-edits" || mode === "auto")) return true;
  const editing = allowing.filter(({ tool, pattern }) => fitsTool(tool, "Edit") && pattern !== undefined);
  return place !== "outside" && paths.every((path) => ruleForPath(path, editing, call) !== undefined);
}

function ruleForCommand(command: ShellCommand, rules: readonly Rule[]): Rule | undefined {
  const { words, assignments, effect, starts, unseen } = command;
  const isKnown = [...assignments, ...words].every(({ state }) => state !== "unknown") && words[0]?.state === "known";
  if (!isKnown) return undefined;
  const text = commandText(command);
  // Word by word a command may be allowed with all that it starts, and with code of another language; by a star it is not.
  const exact = unseen?.where === "elsewhere" ? undefined : rules.find(({ pattern }) => pattern === text);
  if (exact !== undefined || unseen !== undefined) return exact;
  const found = starts.map((started) => ruleForCommand(started, rules));
  if (found.some((rule) => rule === undefined)) return undefined;
  const unknown = unknownOptions(command);
  const own = rules.find(
    ({ pattern }) => pattern !== undefined && fitsCommand(pattern, text) && names(pattern, unknown),
  );
  // `timeout 5 npm test` does what `npm test` does.
  return own ?? (effect === "same" && assignments.length === 0 ? found[0] : undefined);
}

/**
 * Whether a pattern names these options itself. A star stands for operands and for options that are known to be harmless. Only a pattern
 * that names no program, such as `Bash(*)`, stands for everything.
 */
function names(pattern: string, options: readonly string[]): boolean {
  if (options.length === 0 || pattern.startsWith("*")) return true;
  const words = shellTokens(pattern).map(({ text }) => text);
  return options.every((option) => words.includes(option));
}

const ALLOWED: PermissionVerdict = { decision: "allow", reason: "It reaches nothing." };

/**
 * Whether a call may reach the hosts that it wants, by rules such as `Network`, `Network(*.npmjs.org)` and `WebFetch(docs.example)`.
 * Without a sandbox nothing keeps a command from the network: rules that forbid it, or some of it, refuse the command.
 */
export function decideNetwork(mode: PermissionMode, rules: readonly Rule[], call: PermissionCall): PermissionVerdict {
  const { hosts, command, enclosure } = call;
  const isOpen = command !== undefined && enclosure === "none";
  if (hosts.length === 0 && !isOpen) return ALLOWED;
  const concerning = rules.filter((rule) => isOfNetwork(rule, call));
  for (const decision of ["deny", "ask"] as const) {
    const rule = concerning.find((one) => one.decision === decision && (isOpen || mayReach(one, hosts)));
    if (rule !== undefined) {
      const open = isOpen ? " Without a sandbox nothing keeps a command from the network." : "";
      return { decision, rule, reason: `A rule says so: ${ruleText(rule)}.${open}` };
    }
  }
  if (hosts.length === 0) return ALLOWED;
  const allowing = concerning.filter(({ decision }) => decision === "allow");
  const found = (hosts === "any" ? [undefined] : hosts).map((host) => allowing.find((rule) => fitsHost(rule, host)));
  if (found.every((rule) => rule !== undefined))
    return { decision: "allow", rule: found[0]!, reason: `A rule says so: ${ruleText(found[0]!)}.` };
  if (mode === "bypass") return { decision: "allow", reason: "The user wants not to be asked." };
  return { decision: "ask", reason: `It wants to reach ${hosts === "any" ? "the network" : hosts.join(", ")}.` };
}

/** Whether a rule denies a host to everything that the agent starts. */
export function isDeniedHost(rules: readonly Rule[], host: string): boolean {
  return rules.some((rule) => rule.decision === "deny" && rule.tool === "Network" && fitsHost(rule, host));
}

function isOfNetwork({ tool, pattern }: Rule, call: PermissionCall): boolean {
  if (tool === "Network") return true;
  return call.command === undefined && pattern !== undefined && fitsTool(tool, call.tool);
}

/** @param host undefined: any */
function fitsHost({ pattern }: Rule, host: string | undefined): boolean {
  if (pattern === undefined) return true;
  return host !== undefined && fitsGlob(pattern.toLowerCase(), host.toLowerCase(), "text");
}

function mayReach(rule: Rule, hosts: PermissionCall["hosts"]): boolean {
  return hosts === "any" || hosts.some((host) => fitsHost(rule, host));
}

import { fitsPath, placePattern } from "./path-pattern.ts";
import type { PermissionCall } from "./permission-call.ts";
import { plainCommands, possibleCommands } from "./plain-commands.ts";
import { fitsCommand, fitsTool, type Rule, ruleText } from "./rule.ts";

/** `plan`: nothing is changed. `accept-edits`: files of the project may be. `bypass`: nobody is asked. */
export type PermissionMode = "default" | "accept-edits" | "plan" | "bypass";

export interface PermissionVerdict {
  readonly decision: "allow" | "deny" | "ask";
  /** The rule that says so; undefined if it is the mode. */
  readonly rule?: Rule;
  /** In words, for whoever is asked or refused. */
  readonly reason: string;
}

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
  if (call.network === "none" || own.decision === "deny") return own;
  const network = decideNetwork(mode, rules);
  return network.decision === "allow" ? own : network;
}

function decideOne(mode: PermissionMode, rules: readonly Rule[], call: PermissionCall): PermissionVerdict {
  for (const decision of ["deny", "ask"] as const) {
    const rule = rules.find((rule) => rule.decision === decision && mayConcern(rule, call));
    if (rule !== undefined) return { decision, rule, reason: `A rule says so: ${ruleText(rule)}.` };
  }
  const refused = mode === "plan" ? refusedInPlan(call) : undefined;
  if (refused !== undefined) return refused;
  const rule = coveringRule(
    rules.filter(({ decision }) => decision === "allow"),
    call,
  );
  if (rule !== undefined && (mode !== "plan" || call.effect !== "execute")) {
    return { decision: "allow", rule, reason: `A rule says so: ${ruleText(rule)}.` };
  }
  return decideByMode(mode, call);
}

function refusedInPlan({ effect }: PermissionCall): PermissionVerdict | undefined {
  if (effect !== "edit") return undefined;
  return {
    decision: "deny",
    reason: "While a plan is being made, no file is changed. Present the plan with ExitPlan first.",
  };
}

function decideByMode(mode: PermissionMode, { effect, place }: PermissionCall): PermissionVerdict {
  if (effect === "talk") return { decision: "allow", reason: "It changes nothing outside of the conversation." };
  // No tool goes there, whatever anyone says, before the folder is added.
  if (place === "outside")
    return { decision: "deny", reason: "It lies outside of the project. The user can add the folder in the settings." };
  if (mode === "bypass") return { decision: "allow", reason: "The user wants not to be asked." };
  if (effect === "read") return { decision: "allow", reason: "It reads in the project." };
  if (effect === "execute") return { decision: "ask", reason: "It runs a command." };
  if (place === "protected")
    return { decision: "ask", reason: "It changes what other programs run, or take their settings from." };
  if (mode === "accept-edits") return { decision: "allow", reason: "The user accepts edits in the project." };
  return { decision: "ask", reason: "It changes a file." };
}

function decideNetwork(mode: PermissionMode, rules: readonly Rule[]): PermissionVerdict {
  for (const decision of ["deny", "ask", "allow"] as const) {
    const rule = rules.find((rule) => rule.decision === decision && rule.tool === "Network");
    if (rule !== undefined) return { decision, rule, reason: `A rule says so: ${ruleText(rule)}.` };
  }
  if (mode === "bypass") return { decision: "allow", reason: "The user wants not to be asked." };
  return { decision: "ask", reason: "It wants the network." };
}

/** For rules that forbid or ask: anything in the call that fits is enough. */
function mayConcern({ tool, pattern }: Rule, call: PermissionCall): boolean {
  if (!fitsTool(tool, call.tool)) return false;
  if (pattern === undefined) return true;
  if (call.command !== undefined)
    return possibleCommands(call.command).some((command) => fitsCommand(pattern, command));
  const placed = placePattern(pattern, call.base);
  return call.paths.some((path) => fitsPath(placed, path));
}

/** For rules that allow: everything in the call must fit, and be understood. Each part of a line may fit another rule. */
function coveringRule(allowing: readonly Rule[], call: PermissionCall): Rule | undefined {
  const rules = allowing.filter(({ tool }) => fitsTool(tool, call.tool));
  const unbound = rules.find(({ pattern }) => pattern === undefined);
  if (unbound !== undefined && call.place !== "protected") return unbound;
  if (call.command === undefined)
    return ruleForAll(call.paths, rules, (pattern, path) => fitsPath(placePattern(pattern, call.base), path));
  return ruleForAll(plainCommands(call.command) ?? [], rules, fitsCommand);
}

function ruleForAll(
  parts: readonly string[],
  rules: readonly Rule[],
  fits: (pattern: string, part: string) => boolean,
): Rule | undefined {
  const found = parts.map((part) => rules.find(({ pattern }) => pattern !== undefined && fits(pattern, part)));
  return found.every((rule) => rule !== undefined) ? found[0] : undefined;
}

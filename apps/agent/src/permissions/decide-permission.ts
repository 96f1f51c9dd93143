import { concernsCall } from "./concerns-call.ts";
import { coveringRule } from "./covering-rule.ts";
import { decideNetwork } from "./decide-network.ts";
import type { CommandLine, PermissionCall } from "./permission-call.ts";
import type { PermissionMode, PermissionVerdict } from "./permission-verdict.ts";
import { type Rule, ruleText } from "./rule.ts";
import { changesGitSettings } from "./shell/changes-git-settings.ts";

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
  if (rule !== undefined && (mode !== "plan" || call.effect !== "execute")) {
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
  if (effect !== "edit") return undefined;
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
  if (effect === "execute") {
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

import { fitsGlob } from "./glob.ts";
import type { PermissionCall } from "./permission-call.ts";
import type { PermissionMode, PermissionVerdict } from "./permission-verdict.ts";
import { fitsTool, type Rule, ruleText } from "./rule.ts";

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

import { allowingRules } from "./allowing-rules.ts";
import { decidePermission } from "./decide-permission.ts";
import type { HeadlessPermission, PermissionPorts } from "./headless-permission.ts";
import { toPermissionCall } from "./permission-call.ts";
import type { AskPermission } from "./permission-question.ts";
import { type Rule, readRule } from "./rule.ts";
import { saveAllowed } from "./save-allowed.ts";

export interface AttendedPorts extends Omit<PermissionPorts, "rules"> {
  /** What is allowed for the session is added. */
  readonly rules: Rule[];
  readonly person: { readonly askPermission: AskPermission };
  readonly agentHome: string;
}

/** Permission where somebody can be asked. */
export function attendedPermission({
  tools,
  guard,
  rules,
  mode,
  person,
  agentHome,
}: AttendedPorts): HeadlessPermission {
  return {
    async permission({ call: { name }, input }) {
      const verdict = decidePermission(mode(), rules, await toPermissionCall(tools.get(name)!, input, guard));
      return verdict.decision === "deny" ? { kind: "deny", reason: verdict.reason } : { kind: verdict.decision };
    },
    async askHost(wanted, { signal }) {
      const call = await toPermissionCall(tools.get(wanted.call.name)!, wanted.input, guard);
      const verdict = decidePermission(mode(), rules, call);
      // Calls run beside each other: what was asked for another one may hold for this one.
      if (verdict.decision === "allow") return { kind: "allow" };
      // A rule that asks holds against any that allows.
      const allowedBy = verdict.rule === undefined && mode() !== "plan" ? allowingRules(call) : [];
      const reply = await person.askPermission({ ...wanted, reason: verdict.reason, allowedBy }, signal);
      if (reply.kind === "deny") {
        return {
          kind: "deny",
          reason: `The user does not want it${reply.comment === "" ? "." : `: ${reply.comment}`}`,
        };
      }
      if (reply.kind !== "once") rules.push(...allowedBy.flatMap((text) => readRule(text, "allow", "user") ?? []));
      if (reply.kind === "always") await saveAllowed(agentHome, allowedBy);
      return { kind: "allow" };
    },
    takeDenied: () => [],
  };
}

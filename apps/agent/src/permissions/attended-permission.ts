import type { Places } from "../workspace/places.ts";
import { offeredRules } from "./allowing-rules.ts";
import { decidePermission } from "./decide-permission.ts";
import type { HeadlessPermission, PermissionPorts } from "./headless-permission.ts";
import { saveAllowed } from "./kept-rules.ts";
import { toPermissionCall } from "./permission-call.ts";
import type { AllowScope, AskingAgent, AskPermission, ToolOrigin } from "./permission-question.ts";
import { type Rule, type RuleOwner, readRule } from "./rule.ts";

export interface AttendedPorts extends Omit<PermissionPorts, "rules"> {
  /** What is allowed for the session is added. */
  readonly rules: Rule[];
  readonly person: { readonly askPermission: AskPermission };
  /** Whose session it is. */
  readonly agentOf: (sessionId: string) => AskingAgent;
  /** Where the settings of the user are, and those of the user for this project. */
  readonly places: Pick<Places, "agentHome" | "project">;
}

const OWNERS: Readonly<Record<AllowScope, RuleOwner>> = { session: "session", project: "local", user: "user" };
const BUILT_IN: ToolOrigin = { kind: "built-in" };

/** Permission where somebody can be asked. */
export function attendedPermission({
  tools,
  rules,
  mode,
  person,
  agentOf,
  places,
  ...callPlaces
}: AttendedPorts): HeadlessPermission {
  return {
    async permission({ call: { name }, input }) {
      const verdict = decidePermission(mode(), rules, await toPermissionCall(tools.get(name)!, input, callPlaces));
      return verdict.decision === "deny" ? { kind: "deny", reason: verdict.reason } : { kind: verdict.decision };
    },
    async askHost(wanted, { sessionId, signal }) {
      const tool = tools.get(wanted.call.name)!;
      const call = await toPermissionCall(tool, wanted.input, callPlaces);
      const verdict = decidePermission(mode(), rules, call);
      // Calls run beside each other: what was asked for another one may hold for this one.
      if (verdict.decision === "allow") return { kind: "allow" };
      const allowedBy = offeredRules(mode(), rules, call, verdict);
      const asker = { agent: agentOf(sessionId), tool: tool.origin ?? BUILT_IN };
      const reply = await person.askPermission({ ...wanted, asker, reason: verdict.reason, allowedBy }, signal);
      if (reply.kind === "deny") {
        return {
          kind: "deny",
          reason: `The user does not want it${reply.comment === "" ? "." : `: ${reply.comment}`}`,
        };
      }
      if (reply.kind === "once") return { kind: "allow" };
      const from = OWNERS[reply.scope];
      rules.push(...allowedBy.flatMap((text) => readRule(text, "allow", from) ?? []));
      if (reply.scope === "user") await saveAllowed(places.agentHome, allowedBy);
      if (reply.scope === "project") await saveAllowed(places.project, allowedBy);
      return { kind: "allow" };
    },
    takeDenied: () => [],
  };
}

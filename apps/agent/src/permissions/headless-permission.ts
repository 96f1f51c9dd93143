import type { Permission, PermissionContext, PermissionDecision, WantedCall } from "palimpsest";
import type { ToolAccess } from "./agent-tool.ts";
import { offeredRules } from "./allowing-rules.ts";
import { decidePermission, type PermissionMode } from "./decide-permission.ts";
import { type CallPlaces, toPermissionCall } from "./permission-call.ts";
import type { Rule } from "./rule.ts";

export interface PermissionPorts extends CallPlaces {
  readonly tools: ReadonlyMap<string, ToolAccess>;
  readonly rules: readonly Rule[];
  readonly mode: () => PermissionMode;
}

/** A call that was not run for want of permission. */
export interface DeniedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  /** Rules for `--allow`, all of which it takes; empty where no rule would help. */
  readonly allowedBy: readonly string[];
}

export interface HeadlessPermission {
  readonly permission: Permission;
  readonly askHost: (wanted: WantedCall, context: PermissionContext) => Promise<PermissionDecision>;
  /** What has been denied since this was last asked. */
  takeDenied(): readonly DeniedCall[];
}

/** Permission where nobody can be asked: what would have to be asked is denied, and the rule is named that would allow it. */
export function headlessPermission({ tools, rules, mode, ...callPlaces }: PermissionPorts): HeadlessPermission {
  const denied: DeniedCall[] = [];

  async function judge({ call: { name }, input }: WantedCall) {
    const call = await toPermissionCall(tools.get(name)!, input, callPlaces);
    return { call, verdict: decidePermission(mode(), rules, call) };
  }
  function deny(tool: string, input: unknown, reason: string, allowedBy: readonly string[]): PermissionDecision {
    denied.push({ tool, input, reason, allowedBy });
    return { kind: "deny", reason };
  }

  return {
    async permission(wanted) {
      const { verdict } = await judge(wanted);
      if (verdict.decision !== "deny") return { kind: verdict.decision };
      return deny(wanted.call.name, wanted.input, verdict.reason, []);
    },
    async askHost(wanted) {
      const { call, verdict } = await judge(wanted);
      const allowedBy = offeredRules(mode(), rules, call, verdict);
      return deny(call.tool, wanted.input, `${verdict.reason} Nobody is here to be asked.`, allowedBy);
    },
    takeDenied: () => denied.splice(0),
  };
}

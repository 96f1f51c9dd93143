import { decidePermission } from "../permissions/decide-permission.ts";
import { toPermissionCall } from "../permissions/permission-call.ts";
import { type PermissionMode, type Rule, readRule } from "../permissions/rule.ts";

const guard = {
  roots: ["/work/project"],
  locate: async (path: string) => ({ kind: "inside", path, root: "/work/project" }) as const,
};

/** Whether a line of the shell may run. @param rules such as `deny Bash(rm *)` */
export async function decideLine(
  line: string,
  rules: readonly string[],
  mode: PermissionMode = "default",
): Promise<string> {
  const held = rules.flatMap((text) => {
    const [, decision, rule = ""] = /^(\w+) (.+)$/.exec(text) ?? [];
    return readRule(rule, decision as Rule["decision"], "user") ?? [];
  });
  const call = await toPermissionCall(
    { name: "Bash", effect: "run", commands: "sandbox" },
    { command: line },
    { guard, home: "/home/user" },
  );
  return decidePermission(mode, held, call).decision;
}

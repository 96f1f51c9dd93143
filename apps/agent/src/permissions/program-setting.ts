import type { RuleOwner } from "./rule.ts";

/** What settings say of a program that the agent starts by itself: a hook, or a server. */
export interface ProgramSetting {
  /** Whose settings name it. @default "project": it is given the least */
  readonly from?: RuleOwner;
  /** `off`: it runs with all the rights of the user. Only the user's own settings can say so. @default "on" */
  readonly sandbox?: "on" | "off";
  /** Hosts that it may reach, besides those that every command may. @default none */
  readonly hosts?: readonly string[];
}

/**
 * Reads these fields of a hook or a server. A project cannot leave the sandbox: its wish is named and passed over.
 * @param say is told what is wrong
 */
export function readProgram(
  { sandbox, hosts }: Readonly<Record<string, unknown>>,
  from: RuleOwner,
  say: (problem: string) => void,
): ProgramSetting {
  const wantsOut = sandbox === "off";
  if (wantsOut && from !== "user")
    say('"sandbox": "off" is not used: only your own settings.json can let a program out of the sandbox');
  const named = Array.isArray(hosts) ? hosts.filter((host) => typeof host === "string") : [];
  return {
    from,
    ...(wantsOut && from === "user" ? { sandbox: "off" } : {}),
    ...(named.length === 0 ? {} : { hosts: named }),
  };
}

/** What stands behind the name of a hook or a server in lists; empty if it is enclosed like any command. */
export function programText({
  sandbox,
  hosts = [],
  project,
}: ProgramSetting & { readonly project?: "read" | "write" }): string {
  const parts = [
    ...(sandbox === "off" ? ["outside of the sandbox"] : []),
    ...(project === "write" ? ["writes to the project"] : []),
    ...(hosts.length === 0 ? [] : [`reaches ${hosts.join(", ")}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

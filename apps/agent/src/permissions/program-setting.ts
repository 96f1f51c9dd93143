import type { Environment } from "../workspace/command-environment.ts";
import type { RuleOwner } from "./rule.ts";
import { MAX_TIMEOUT_MS } from "./settings-schema.ts";

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

/** A command that is to be run at an event, as a settings file names it. */
export interface HookSetting extends ProgramSetting {
  readonly event: string;
  readonly command: string | readonly [program: string, ...args: string[]];
  readonly tools?: string;
  readonly timeoutMs?: number;
}

/** Its command as one line. */
export function hookLine({ command }: Pick<HookSetting, "command">): string {
  return typeof command === "string" ? command : command.join(" ");
}

/** In one line, for whoever is asked whether it may be used. */
export function hookText(hook: HookSetting): string {
  return `hook at ${hook.event}: ${hookLine(hook)}${programText(hook)}`;
}

/** Reads what settings say of a hook. Undefined if it is none, which the check of the file has said. */
export function readHook(value: unknown, from: RuleOwner, say: (problem: string) => void): HookSetting | undefined {
  const fields = (typeof value === "object" ? (value ?? {}) : {}) as Readonly<Record<string, unknown>>;
  const { event, command, tools, timeoutMs } = fields;
  const line = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string");
  if (typeof event !== "string" || !(typeof command === "string" || line)) return undefined;
  return {
    event,
    command: command as HookSetting["command"],
    ...readProgram(fields, from, (problem) => say(`hook at ${event}: ${problem}`)),
    ...(typeof tools === "string" ? { tools } : {}),
    ...(typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS ? { timeoutMs } : {}),
  };
}

/** A server of tools (Model Context Protocol): a program that is started, or a service that is reached over HTTP. */
export type ToolServer = ProgramServer | HttpServer;

export interface ProgramServer extends ProgramSetting {
  readonly name: string;
  /** Spoken to on its standard input and output. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Beside the agent's own without its secrets: what is a secret of this server is named here. @default none */
  readonly environment?: Environment;
  /** `write`: it may change files of the project. @default "read" */
  readonly project?: "read" | "write";
}

export interface HttpServer {
  readonly name: string;
  readonly url: string;
  /** Sent with every request, and to no other origin. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** In one line, for whoever is asked whether it may be used. What may be a secret is left out. */
export function serverText(server: ToolServer): string {
  if ("url" in server) return `server ${server.name}: ${server.url}`;
  return `server ${server.name}: ${server.command.join(" ")}${programText(server)}`;
}

/** It becomes part of the names of tools, and no name of one server's tools can be another's. */
const NAME = /^(?!.*__)[a-zA-Z](?:[\w-]{0,29}[a-zA-Z0-9-])?$/;

/** Reads what settings say of a server; a text says why there is none. @param say is told what else is wrong */
export function readToolServer(
  name: string,
  value: unknown,
  from: RuleOwner = "project",
  say: (problem: string) => void = () => {},
): ToolServer | string {
  if (!NAME.test(name)) {
    return `${JSON.stringify(name)} is no name of a server: 31 letters, digits, "-" and single "_" at most, a letter first`;
  }
  const fields = (typeof value === "object" ? (value ?? {}) : {}) as Fields;
  const { command, environment, project, url, headers } = fields;
  if (isTexts(command) && command.length > 0 && (environment === undefined || isTextRecord(environment))) {
    return {
      name,
      command: command as [string],
      ...readProgram(fields, from, (problem) => say(`server ${name}: ${problem}`)),
      ...(environment === undefined ? {} : { environment }),
      ...(project === "write" ? { project } : {}),
    };
  }
  const isUrl = typeof url === "string" && /^https?:$/.test(URL.parse(url)?.protocol ?? "");
  if (isUrl && (headers === undefined || isTextRecord(headers))) {
    return { name, url, ...(headers === undefined ? {} : { headers }) };
  }
  return `server ${name} needs a command (a list of words; environment: texts) or a url (http or https; headers: texts)`;
}

type Fields = Readonly<Record<string, unknown>>;

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isTexts(Object.values(value));
}

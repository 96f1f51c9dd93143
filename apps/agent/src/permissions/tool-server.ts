import type { Environment } from "../workspace/command-environment.ts";
import { type ProgramSetting, programText, readProgram } from "./program-setting.ts";
import type { RuleOwner } from "./rule.ts";

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

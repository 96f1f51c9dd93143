import type { Environment } from "../workspace/command-environment.ts";

/** A server of tools (Model Context Protocol): a program that is started, or a service that is reached over HTTP. */
export type ToolServer = ProgramServer | HttpServer;

export interface ProgramServer {
  readonly name: string;
  /** Spoken to on its standard input and output. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Beside the agent's own without its secrets: what is a secret of this server is named here. @default none */
  readonly environment?: Environment;
}

export interface HttpServer {
  readonly name: string;
  readonly url: string;
  /** Sent with every request, and to no other origin. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** In one line, for whoever is asked whether it may be used. What may be a secret is left out. */
export function serverText(server: ToolServer): string {
  return `server ${server.name}: ${"url" in server ? server.url : server.command.join(" ")}`;
}

/** It becomes part of the names of tools, and no name of one server's tools can be another's. */
const NAME = /^(?!.*__)[a-zA-Z](?:[\w-]{0,29}[a-zA-Z0-9-])?$/;

/** Reads what settings say of a server; a text says what is wrong with it. */
export function readToolServer(name: string, value: unknown): ToolServer | string {
  if (!NAME.test(name)) {
    return `${JSON.stringify(name)} is no name of a server: 31 letters, digits, "-" and single "_" at most, a letter first`;
  }
  const { command, environment, url, headers } = (typeof value === "object" ? (value ?? {}) : {}) as Fields;
  if (isTexts(command) && command.length > 0 && (environment === undefined || isTextRecord(environment))) {
    return { name, command: command as [string], ...(environment === undefined ? {} : { environment }) };
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

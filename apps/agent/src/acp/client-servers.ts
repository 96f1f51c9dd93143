import { type McpServer, RequestError } from "@agentclientprotocol/sdk";
import { readToolServer, type ToolServer } from "../permissions/tool-server.ts";

/**
 * The servers of tools that the editor names. They count as the user's own, and stay in the sandbox: servers in the user's
 * settings.json with the same name replace them, and say what they may reach.
 */
export function toToolServers(servers: readonly McpServer[] = []): readonly ToolServer[] {
  const taken = new Set<string>();
  return servers.map((server) => {
    const name = freeName(server.name, taken);
    const read = readToolServer(name, fieldsOf(server), "user");
    if (typeof read === "string") throw RequestError.invalidParams({ server: server.name }, read);
    return read;
  });
}

function fieldsOf(server: McpServer): object {
  const pairs = (list: readonly { readonly name: string; readonly value: string }[]): object =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if (!("type" in server)) return { command: [server.command, ...server.args], environment: pairs(server.env) };
  if (server.type === "http") return { url: server.url, headers: pairs(server.headers) };
  const why = `the MCP server ${server.name} uses SSE, which is not supported. Use its HTTP address`;
  throw RequestError.invalidParams({ server: server.name }, why);
}

const MOST_CHARACTERS = 28;

/** Editors allow any name. It becomes part of the names of tools, so it is spelled with letters, digits and "-". */
function freeName(name: string, taken: Set<string>): string {
  const spelled = name.replaceAll(/[^a-zA-Z0-9-]+/g, "-").replaceAll(/^[^a-zA-Z]+|-+$/g, "");
  const base = spelled.slice(0, MOST_CHARACTERS).replace(/-+$/, "") || "server";
  let free = base;
  for (let number = 2; taken.has(free); number++) free = `${base}-${number}`;
  taken.add(free);
  return free;
}

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { commandEnvironment, type Environment } from "../shell/command-environment.ts";
import type { AgentTool } from "../tools/tool.ts";
import { type CallServer, type ServedResult, type ServedTool, toAgentTools } from "./to-agent-tool.ts";

/** A program that serves tools on its standard input and output (Model Context Protocol). */
export interface ToolServer {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Beside the agent's own without its secrets: what is a secret of this server is named here. @default none */
  readonly environment?: Environment;
}

export interface ToolServersOptions {
  readonly folder: string;
  readonly environment: Environment;
  /** For a server to start and to list its tools. @default 30 seconds */
  readonly startTimeoutMs?: number;
  /** For one call. @default 10 minutes */
  readonly callTimeoutMs?: number;
}

export interface ToolServers {
  /** By server in the given order, then by name: the same servers give the same prompt. */
  readonly tools: readonly AgentTool[];
  /** Servers that could not be used, one line each. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

const MOST_PAGES = 50;

/** Starts servers of tools, all at once. One that fails is named, and the others count. */
export async function openToolServers(
  servers: readonly ToolServer[],
  { folder, environment, startTimeoutMs = 30_000, callTimeoutMs = 600_000 }: ToolServersOptions,
): Promise<ToolServers> {
  const base = commandEnvironment(environment);
  const opened = await Promise.all(
    servers.map(async ({ name, command: [program, ...args], environment: own = {} }) => {
      const client = new Client({ name: "palimpsest", version: "0.1.0" });
      const env = onlyTexts({ ...base, ...own });
      const transport = new StdioClientTransport({ command: program, args, cwd: folder, env, stderr: "ignore" });
      try {
        await client.connect(transport, { timeout: startTimeoutMs });
        const served = await listTools(client, startTimeoutMs);
        return { client, tools: toAgentTools(name, served, callOf(client, callTimeoutMs)), problems: [] };
      } catch (error) {
        await client.close();
        const said = error instanceof Error ? error.message : String(error);
        return { client, tools: [], problems: [`The tool server ${name} cannot be used: ${said}`] };
      }
    }),
  );
  return {
    tools: opened.flatMap(({ tools }) => tools),
    problems: opened.flatMap(({ problems }) => problems),
    close: async () => {
      await Promise.all(opened.map(({ client }) => client.close()));
    },
  };
}

async function listTools(client: Client, timeout: number): Promise<readonly ServedTool[]> {
  const served: ServedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
    served.push(...tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return served;
}

function callOf(client: Client, timeout: number): CallServer {
  return async (name, input, signal): Promise<ServedResult> => {
    const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
    const { content, isError } = await client.callTool({ name, arguments: given }, undefined, { signal, timeout });
    return { content: Array.isArray(content) ? content : [], status: isError === true ? "error" : "ok" };
  };
}

function onlyTexts(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

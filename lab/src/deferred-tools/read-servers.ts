import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { ToolDefinition } from "palimpsest";
import { installPackages } from "../load-peers.ts";

const FOLDER = new URL("../../mcp-servers/", import.meta.url);
const START_MS = 60_000;

/** Published servers: their programs, and the arguments without which they do not start. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  filesystem: ["@modelcontextprotocol/server-filesystem/dist/index.js", tmpdir()],
  github: ["@modelcontextprotocol/server-github/dist/index.js"],
  memory: ["@modelcontextprotocol/server-memory/dist/index.js"],
  playwright: ["@playwright/mcp/cli.js", "--headless"],
};

/** The tools of published MCP servers, as the servers list them now. Named as the agent names them. */
export async function readServers(): Promise<readonly ToolDefinition[]> {
  installPackages({ folder: FOLDER, what: "published MCP servers", size: "80 MB" });
  const listed = await Promise.all(Object.entries(SERVERS).map(([name, words]) => listTools(name, words)));
  return listed.flat();
}

async function listTools(
  server: string,
  [program = "", ...args]: readonly string[],
): Promise<readonly ToolDefinition[]> {
  const path = fileURLToPath(new URL(`node_modules/${program}`, FOLDER));
  const client = new Client({ name: "palimpsest-lab", version: "0.1.0" });
  const transport = new StdioClientTransport({ command: process.execPath, args: [path, ...args], stderr: "ignore" });
  await client.connect(transport, { timeout: START_MS });
  try {
    const { tools } = await client.listTools({}, { timeout: START_MS });
    return tools.map(({ name, description = "", inputSchema }) => ({
      name: `mcp__${server}__${name}`,
      description,
      inputSchema,
      provenance: { kind: "tool", name: server },
    }));
  } finally {
    await client.close();
  }
}

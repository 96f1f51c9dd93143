import type { ToolServers, ToolServersOptions } from "../mcp/open-tool-servers.ts";
import type { ToolServer } from "../mcp/tool-server.ts";

const NONE: ToolServers = { tools: [], instructions: [], problems: [], close: async () => {} };

/** The servers of the settings. Their client is loaded only where there are any. */
export async function openServers(servers: readonly ToolServer[], options: ToolServersOptions): Promise<ToolServers> {
  if (servers.length === 0) return NONE;
  const { openToolServers } = await import("../mcp/open-tool-servers.ts");
  return openToolServers(servers, options);
}

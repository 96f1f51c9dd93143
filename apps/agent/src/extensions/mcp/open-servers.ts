import type { ToolServer } from "../../permissions/tool-server.ts";
import type { ToolServers, ToolServersOptions } from "./open-tool-servers.ts";

const NONE: ToolServers = { tools: [], instructions: [], problems: [], close: async () => {} };

/** The servers of the settings. Their client is loaded only where there are any. */
export async function openServers(servers: readonly ToolServer[], options: ToolServersOptions): Promise<ToolServers> {
  if (servers.length === 0) return NONE;
  const { openToolServers } = await import("./open-tool-servers.ts");
  return openToolServers(servers, options);
}

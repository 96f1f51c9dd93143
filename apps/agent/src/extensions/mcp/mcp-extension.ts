import { join } from "node:path";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { mcpCommand } from "./mcp-command.ts";
import { openServers } from "./open-servers.ts";
import { serverSection } from "./server-section.ts";

/** Tools of MCP servers. */
export async function mcpExtension(context: ExtensionContext): Promise<Extension> {
  const { settings, folder, places, offered, notify } = context;
  const { servers } = settings;
  const serversFolder = join(places.project, "servers");
  const opened = await openServers(servers, { folder, programs: context, serversFolder, offered, onNote: notify });
  return {
    name: "mcp",
    tools: () => opened.tools,
    head: serverSection(opened.instructions),
    commands: [mcpCommand(servers, opened)],
    problems: opened.problems,
    close: opened.close,
  };
}

import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { mcpCommand } from "./mcp-command.ts";
import { openServers } from "./open-servers.ts";
import { serverSection } from "./server-section.ts";

/** Tools of MCP servers. */
export async function mcpExtension({
  settings: { servers },
  folder,
  environment,
  offered,
}: Pick<ExtensionContext, "settings" | "folder" | "environment" | "offered">): Promise<Extension> {
  const opened = await openServers(servers, { folder, environment, offered });
  return {
    name: "mcp",
    tools: () => opened.tools,
    head: serverSection(opened.instructions),
    commands: [mcpCommand(servers, opened)],
    problems: opened.problems,
    close: opened.close,
  };
}

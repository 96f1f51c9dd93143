import type { SlashCommand } from "../../extension/slash-command.ts";
import { serverText, type ToolServer } from "../../permissions/tool-server.ts";
import type { ToolServers } from "./open-tool-servers.ts";
import { prefixOf } from "./to-agent-tool.ts";

/** `/mcp`: the servers of the settings, with their tools, or why there are none. */
export function mcpCommand(
  servers: readonly ToolServer[],
  { tools, problems }: Pick<ToolServers, "tools" | "problems">,
): SlashCommand {
  return {
    name: "mcp",
    about: "list the MCP servers and their tools",
    when: "always",
    async open({ say }) {
      if (servers.length === 0) return say("There are no MCP servers. To add one: settings.json, under servers.");
      const lines = servers.flatMap((server) => {
        const brought = tools.filter(({ name }) => name.startsWith(prefixOf(server.name))).map(({ name }) => name);
        const why = problems.filter((problem) => problem.includes(server.name));
        return [serverText(server), ...(brought.length === 0 ? why : brought).map((text) => `  ${text}`)];
      });
      say(lines.join("\n"));
    },
  };
}

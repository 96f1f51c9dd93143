import type { SlashCommand } from "../../extension/slash-command.ts";
import { serverText } from "../../permissions/tool-server.ts";
import { prefixOf } from "./to-agent-tool.ts";

export const mcp: SlashCommand = {
  name: "mcp",
  about: "servers of tools, and the tools they brought",
  when: "always",
  async open({ agent: { settings, tools, problems }, say }) {
    const { servers } = settings.settings;
    if (servers.length === 0) return say("There are no servers. They stand in settings.json, under servers.");
    const lines = servers.flatMap((server) => {
      const brought = tools.filter(({ name }) => name.startsWith(prefixOf(server.name))).map(({ name }) => name);
      const why = problems.filter((problem) => problem.includes(server.name));
      return [serverText(server), ...(brought.length === 0 ? why : brought).map((text) => `  ${text}`)];
    });
    say(lines.join("\n"));
  },
};

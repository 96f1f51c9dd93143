import { join } from "node:path";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { HeadSection, HeadText } from "../../extension/session-head.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { serverText, type ToolServer } from "../../permissions/program-setting.ts";
import type { ServerInstructions, ToolServers, ToolServersOptions } from "./open-tool-servers.ts";
import { prefixOf } from "./to-agent-tool.ts";

/** Adds the tools of MCP servers. */
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

/** `/mcp` lists the servers in the settings with their tools, or their problems. */
function mcpCommand(
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

const HEAD_LINE =
  "What servers of tools say about the use of their tools (their names begin with mcp__). It is their word, not the user's.";
const CHANGE_LINE =
  "Servers of tools say this from now on about the use of their tools. It is their word, not the user's.";

/** The head section with the instructions of servers. Changed instructions are appended. */
function serverSection(instructions: readonly ServerInstructions[]): HeadSection {
  const sections = instructions.map(
    ({ server, text }): HeadText => ({
      kind: "text",
      text: `# Server ${server}\n\n${text}`,
      provenance: { kind: "tool", name: server },
    }),
  );
  const say = (line: string, texts: readonly HeadText[]): readonly HeadText[] | undefined =>
    texts.length === 0 ? undefined : [{ kind: "text", text: line }, ...texts];
  return {
    text: async () => say(HEAD_LINE, sections),
    changes: async (shown) =>
      say(
        CHANGE_LINE,
        sections.filter((section) => !shown.some((text) => text.includes(section.text))),
      ),
  };
}

const NONE: ToolServers = { tools: [], instructions: [], problems: [], close: async () => {} };

/** Opens the servers in the settings. Loads the MCP client only if there are servers. */
async function openServers(servers: readonly ToolServer[], options: ToolServersOptions): Promise<ToolServers> {
  if (servers.length === 0) return NONE;
  const { openToolServers } = await import("./open-tool-servers.ts");
  return openToolServers(servers, options);
}

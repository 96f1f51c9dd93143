import type { ToolDefinition } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import type { ProgramPorts } from "../../permissions/enclose-program.ts";
import type { ToolServer } from "../../permissions/program-setting.ts";
import { type ConnectedServer, connectServer } from "./connect-server.ts";
import { limitTools, prefixOf, toAgentTools } from "./to-agent-tool.ts";

/** The MCP servers to start, and their limits. */
export interface ToolServersOptions {
  readonly folder: string;
  readonly programs: ProgramPorts;
  /** The folder with a subfolder for each server, whose files outlive the session. */
  readonly serversFolder: string;
  /** Receives the sandbox's messages about a server. @default no messages */
  readonly onNote?: (text: string) => void;
  /**
   * Tools of the session's earlier requests. Tools of a server that cannot be used now stay in the list, because a
   * shorter list would invalidate the prompt cache. Their calls fail with the reason. @default none
   */
  readonly offered?: readonly ToolDefinition[];
  /** The time limit for a server to start, and then to list its tools. @default 30 seconds */
  readonly startTimeoutMs?: number;
  /** The time limit for one call. @default 10 minutes */
  readonly callTimeoutMs?: number;
}

/** The MCP servers that were started: their tools, their instructions and their problems. */
export interface ToolServers {
  /** The tools, by server in the given order and then by name, so that the same servers give the same prompt. */
  readonly tools: readonly AgentTool[];
  /** The servers' instructions for the use of their tools, in the same order. */
  readonly instructions: readonly ServerInstructions[];
  /** Servers and tools that could not be used, and texts that were cut, one line each. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** The instructions of an MCP server for the model. */
export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

/** The limit for the instructions of one server. */
const MAX_INSTRUCTION_CHARACTERS = 4_000;

/** Connects to all MCP servers at once. Reports servers that fail, and opens the others. */
export async function openToolServers(
  servers: readonly ToolServer[],
  { offered = [], startTimeoutMs = 30_000, callTimeoutMs = 600_000, ...options }: ToolServersOptions,
): Promise<ToolServers> {
  const opened = await Promise.all(
    servers.map(async (server) => {
      const { name } = server;
      try {
        const connected = await connectServer(server, { ...options, startTimeoutMs, callTimeoutMs });
        const { tools, problems } = limitTools(name, connected.tools);
        return { name, connected, problems, tools: toAgentTools(name, tools, connected.call) };
      } catch (error) {
        const said = sanitize(error instanceof Error ? error.message : String(error));
        const problem = `The tool server ${name} cannot be used: ${said}`;
        const kept = offered.filter((tool) => tool.name.startsWith(prefixOf(name)));
        return { name, problems: [problem], tools: kept.map((tool) => absent(tool, problem)) };
      }
    }),
  );
  return {
    tools: opened.flatMap(({ tools }) => tools),
    instructions: opened.flatMap(({ name, connected }) => instructionsOf(name, connected)),
    problems: opened.flatMap(({ problems }) => problems),
    close: async () => {
      await Promise.all(opened.map(({ connected }) => connected?.close()));
    },
  };
}

function instructionsOf(server: string, connected: ConnectedServer | undefined): readonly ServerInstructions[] {
  const whole = sanitize(connected?.instructions ?? "").trim();
  if (whole === "") return [];
  const left = whole.length - MAX_INSTRUCTION_CHARACTERS;
  const kept = whole.slice(0, MAX_INSTRUCTION_CHARACTERS).toWellFormed();
  return [{ server, text: left > 0 ? `${kept}\n[${left} more characters]` : kept }];
}

function absent(tool: ToolDefinition, problem: string): AgentTool {
  return {
    ...tool,
    description: tool.description ?? "",
    concurrency: "safe",
    effect: "talk",
    repeat: "free",
    execute: async () => failed(`${problem} Go on without it.`),
  };
}

import type { ToolDefinition } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { failed } from "../../extension/make-tool.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import type { ProgramPorts } from "../../permissions/enclose-program.ts";
import type { ToolServer } from "../../permissions/program-setting.ts";
import { type ConnectedServer, connectServer } from "./connect-server.ts";
import { limitTools, prefixOf, toAgentTools } from "./to-agent-tool.ts";

/** Which MCP servers to start, and within which limits. */
export interface ToolServersOptions {
  readonly folder: string;
  readonly programs: ProgramPorts;
  /** Holds a folder for each server: what it writes outlives the session. */
  readonly serversFolder: string;
  /** Is told what the sandbox has to say of a server. @default nobody */
  readonly onNote?: (text: string) => void;
  /**
   * Tools that the session has been offered. Those of a server that cannot be used now stay in its list, because a shorter one
   * would cost the whole cache; calls of them are answered by the reason. @default none
   */
  readonly offered?: readonly ToolDefinition[];
  /** For a server to start, and then to list its tools. @default 30 seconds */
  readonly startTimeoutMs?: number;
  /** For one call. @default 10 minutes */
  readonly callTimeoutMs?: number;
}

/** The MCP servers that were started: their tools, their instructions and their problems. */
export interface ToolServers {
  /** By server in the given order, then by name: the same servers give the same prompt. */
  readonly tools: readonly AgentTool[];
  /** What servers say about the use of their tools, in the same order. */
  readonly instructions: readonly ServerInstructions[];
  /** Servers and tools that could not be used, and texts that were cut, one line each. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Instructions that an MCP server has for the model. */
export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

/** Of one server. It is no place for a manual. */
const MAX_INSTRUCTION_CHARACTERS = 4_000;

/** Connects with servers of tools, all at once. One that fails is named, and the others count. */
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

// Connects to an MCP server: a program in the sandbox, or a server over HTTP.
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { encloseProgram, enclosureAdvice, type ProgramPorts } from "../../permissions/enclose-program.ts";
import type { HttpServer, ProgramServer, ToolServer } from "../../permissions/program-setting.ts";
import { changeWarning } from "../../sandbox/describe-changes.ts";
import { commandEnvironment, type Environment } from "../../workspace/command-environment.ts";
import type { ServedResult, ServedTool } from "./to-agent-tool.ts";

interface ConnectOptions {
  readonly folder: string;
  readonly programs: ProgramPorts;
  /** The folder with a subfolder for each server, whose files outlive the session. */
  readonly serversFolder: string;
  /** Receives the sandbox's messages about a server. @default no messages */
  readonly onNote?: (text: string) => void;
  /** The time limit for connecting, and then for listing the tools. */
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
}

/** A connected server. */
export interface ConnectedServer {
  readonly tools: readonly ServedTool[];
  /** The server's instructions for the use of its tools. */
  readonly instructions: string | undefined;
  call(tool: string, input: unknown, signal: AbortSignal): Promise<ServedResult>;
  close(): Promise<void>;
}

const MAX_PAGES = 50;
/** How long to wait for a server to accept the end of its session. The server needs no notice, so this is short. */
const GOODBYE_MS = 1_000;

/** Connects to a server. Rejects and cleans up if the server cannot be reached or does not answer in time. */
export async function connectServer(server: ToolServer, options: ConnectOptions): Promise<ConnectedServer> {
  const { startTimeoutMs: timeout, callTimeoutMs } = options;
  const client = new Client({ name: "palimpsest", version: "0.1.0" });
  const { transport, errorOutput, refused, leave, ended } =
    "url" in server ? overHttp(server) : await startProgram(server, options);
  client.onclose = () => void ended();
  try {
    await client.connect(transport, { timeout });
    const tools = await listTools(client, timeout);
    return {
      tools,
      instructions: client.getInstructions(),
      async call(name, input, signal) {
        const fields = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
        const how = { signal, timeout: callTimeoutMs };
        const before = refused().length;
        const { content, isError } = await client.callTool({ name, arguments: fields }, undefined, how);
        const hosts = refused()
          .slice(before)
          .map((host) => ({ type: "text", text: refusedText(host) }));
        return {
          content: [...(Array.isArray(content) ? content : []), ...hosts],
          status: isError === true ? "error" : "ok",
        };
      },
      async close() {
        await leave();
        await client.close();
        await ended();
      },
    };
  } catch (error) {
    await client.close();
    await ended();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error([why, errorOutput()].filter(Boolean).join(" It said: "));
  }
}

function refusedText(host: string): string {
  return `[refused: ${host}. The user can name it under "hosts" of this server, in settings.json.]`;
}

interface ServerLink {
  readonly transport: Transport;
  /** The server's error output. */
  errorOutput(): string;
  /** The hosts that the sandbox has refused so far. */
  refused(): readonly string[];
  leave(): Promise<void>;
  /** Cleans up after the server has ended. */
  ended(): Promise<void>;
}

async function startProgram(server: ProgramServer, options: ConnectOptions): Promise<ServerLink> {
  const { name, command, environment: own = {}, project } = server;
  const environment = commandEnvironment(options.programs.environment);
  const start = await encloseProgram(
    {
      ...server,
      words: command,
      environment,
      own,
      writes: project === "write" ? "project" : "own-folder",
      ownFolder: join(options.serversFolder, name),
    },
    options.programs,
  );
  if (start.kind === "refused") throw new Error(start.reason);
  const isEnclosed = start.kind === "enclosed";
  const [program, ...args] = isEnclosed ? start.line : command;
  const env = onlyTexts(isEnclosed ? start.environment : { ...environment, ...own });
  const transport = new StdioClientTransport({ command: program, args, cwd: options.folder, env, stderr: "pipe" });
  let tail = "";
  transport.stderr?.on("data", (chunk) => {
    tail = `${tail}${String(chunk)}`.slice(-500);
  });
  const unguard = isEnclosed ? start.guardDisk(() => void transport.close()) : undefined;
  let ended: Promise<void> | undefined;
  return {
    transport,
    errorOutput: () => [tail.trim(), ...(isEnclosed ? [enclosureAdvice(server)] : [])].filter(Boolean).join(" "),
    refused: () => (isEnclosed ? start.refused() : []),
    leave: async () => {},
    ended() {
      unguard?.();
      ended ??= (async () => {
        const { changes } = isEnclosed ? await start.finish() : { changes: [] };
        for (const change of changes) options.onNote?.(changeWarning(change, `The MCP server ${name}`));
      })();
      return ended;
    },
  };
}

function overHttp({ url, headers = {} }: HttpServer): ServerLink {
  // The client follows redirects only within the origin, so headers go to no other host.
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return {
    transport: transport as Transport,
    errorOutput: () => "",
    refused: () => [],
    ended: async () => {},
    async leave() {
      const late = new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
      await Promise.race([transport.terminateSession().catch(() => undefined), late]);
    },
  };
}

async function listTools(client: Client, timeout: number): Promise<readonly ServedTool[]> {
  const served: ServedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
    served.push(
      ...tools.map(({ name, description, inputSchema, annotations }) => ({
        name,
        description,
        inputSchema,
        ...(annotations?.readOnlyHint === true ? { claims: "reads-only" as const } : {}),
        ...(annotations?.readOnlyHint === true || annotations?.idempotentHint === true
          ? { repeat: "free" as const }
          : {}),
      })),
    );
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return served;
}

function onlyTexts(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

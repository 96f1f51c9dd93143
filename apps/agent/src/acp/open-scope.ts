import {
  type AgentContext,
  type AuthMethod,
  type ClientCapabilities,
  type McpServer,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { AgentOptions } from "../agent/agent.ts";
import { openAgent } from "../agent/open-agent.ts";
import type { ProviderChoice, WantedProvider } from "../commands/choose-provider.ts";
import { userModels } from "../commands/connect.ts";
import { chooseWithStored, connectChosen, rememberEndpoint, withEndpoint } from "../commands/connect-chosen.ts";
import { inOperatedProject, type Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import { readToolServer, type ToolServer } from "../permissions/program-setting.ts";
import type { Operations } from "../workspace/open-operations.ts";
import { listSessions, type UsedBefore } from "../workspace/stored-sessions.ts";
import { type EditorSession, openEditorSession } from "./editor-session.ts";

/** The options of the agent on the command line. */
export type AgentArguments = Pick<AgentOptions, "rules" | "engine" | "mode" | "web" | "effort">;

interface ScopeOptions {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly gone: AbortSignal;
  /** The terminal in the folder of the session. */
  readonly terminal: Terminal;
  readonly providerArguments: WantedProvider;
  readonly agentArguments: AgentArguments;
  readonly folders: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly sessionId: string;
  readonly begins: "new" | "resumed";
}

/** A session and its project, which close together. */
export interface OpenedScope {
  readonly sessionId: string;
  readonly session: EditorSession;
  close(): Promise<void>;
}

/** Opens the project of a session, and the session itself. */
export async function openScope(options: ScopeOptions): Promise<OpenedScope> {
  const { terminal, sessionId } = options;
  const opened = Promise.withResolvers<EditorSession>();
  const closing = Promise.withResolvers<void>();
  const closed = inOperatedProject(terminal, async (project, operations) => {
    const session = await openIn(project, operations, options);
    opened.resolve(session);
    await closing.promise;
    await session.close();
  });
  closed.catch(opened.reject);
  return {
    sessionId,
    session: await opened.promise,
    async close() {
      closing.resolve();
      await closed;
    },
  };
}

async function openIn(project: Project, operations: Operations, options: ScopeOptions): Promise<EditorSession> {
  const { client, capabilities, gone, terminal, providerArguments, agentArguments, folders, sessionId, begins } =
    options;
  const { folder, places, store } = project;
  const before = begins === "new" ? undefined : await findBefore(project, sessionId);
  const connection = await connectChosen(providerArguments, terminal, { before });
  if (connection === undefined)
    throw keyRequired(await chooseWithStored(providerArguments, terminal.environment, before));
  const { choice, provider, listModels, modelFacts } = connection;
  const servers = toToolServers(options.mcpServers);
  const models = Object.keys(await userModels(terminal.environment));
  return openEditorSession({
    client,
    capabilities,
    gone,
    terminal,
    project,
    provider,
    listModels,
    models,
    sessionId,
    begins,
    folders,
    async open(ports) {
      const { environment, clock } = terminal;
      const agent = await openAgent({
        ...agentArguments,
        ...ports,
        places,
        folder,
        environment,
        store,
        provider,
        modelFacts,
        clock,
        operations,
        folders,
        servers,
        model: choice.model,
        id: sessionId,
      });
      await rememberEndpoint(places.folderOf(sessionId), choice);
      return agent;
    },
  });
}

async function findBefore({ store, places }: Project, sessionId: string): Promise<UsedBefore | undefined> {
  const stored = (await listSessions(store)).find(({ id }) => id === sessionId);
  if (stored === undefined) throw RequestError.sessionNotFound(sessionId);
  return withEndpoint(stored.usedBefore, places.folderOf(sessionId));
}

/**
 * How the user can sign in. Keys come from the environment or from the user's stored keys. An editor cannot ask for a
 * key, because the key would appear in its logs.
 */
export const AUTH_METHODS: AuthMethod[] = [
  {
    id: "api-key",
    name: "API key",
    description:
      'Run "palimpsest key set" in a terminal, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or AWS_BEARER_TOKEN_BEDROCK where your editor names this agent ("env"). Then start the agent again.',
  },
];

/** The error that makes editors show the ways to sign in. */
export function keyRequired({ provider, keyName }: ProviderChoice): RequestError {
  return new RequestError(
    RequestError.authRequired().code,
    `No API key for ${provider}: ${keyName} is not set, and none is stored. Run "palimpsest key set" in a terminal, or set ${keyName} where your editor names this agent ("env"). Then start the agent again. ` +
      `For a server with an OpenAI-compatible API, which may need no key, add "--provider", "openai-chat", "--base-url", "URL", "--model", "NAME" to its arguments.`,
  );
}

/**
 * Converts the MCP servers that the editor names. They count as the user's own servers and stay in the sandbox. Servers
 * in the user's settings.json with the same name replace them and set the hosts that they may reach.
 */
export function toToolServers(servers: readonly McpServer[] = []): readonly ToolServer[] {
  const usedNames = new Set<string>();
  return servers.map((server) => {
    const name = freeName(server.name, usedNames);
    const read = readToolServer(name, fieldsOf(server), "user");
    if (typeof read === "string") throw RequestError.invalidParams({ server: server.name }, read);
    return read;
  });
}

function fieldsOf(server: McpServer): object {
  const pairs = (list: readonly { readonly name: string; readonly value: string }[]): object =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if (!("type" in server)) return { command: [server.command, ...server.args], environment: pairs(server.env) };
  if (server.type === "http") return { url: server.url, headers: pairs(server.headers) };
  const why = `the MCP server ${server.name} uses SSE, which is not supported. Use its HTTP address`;
  throw RequestError.invalidParams({ server: server.name }, why);
}

const MOST_CHARACTERS = 28;
/** What follows never becomes a part of the name. */
const MOST_NAME_CHARACTERS = 200;

/** Converts any server name to letters, digits and "-", because it becomes part of tool names. */
function freeName(name: string, usedNames: Set<string>): string {
  const spelled = name
    .slice(0, MOST_NAME_CHARACTERS)
    .replaceAll(/[^a-zA-Z0-9-]+/g, "-")
    .replaceAll(/^[^a-zA-Z]+|-+$/g, "");
  const base = spelled.slice(0, MOST_CHARACTERS).replace(/-+$/, "") || "server";
  let free = base;
  for (let number = 2; usedNames.has(free); number++) free = `${base}-${number}`;
  usedNames.add(free);
  return free;
}

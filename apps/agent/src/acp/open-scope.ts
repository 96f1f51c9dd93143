import { type AgentContext, type ClientCapabilities, type McpServer, RequestError } from "@agentclientprotocol/sdk";
import type { AgentOptions } from "../agent/agent.ts";
import { openAgent } from "../agent/open-agent.ts";
import { rememberEndpoint, withEndpoint } from "../cli/endpoint.ts";
import { inOperatedProject } from "../cli/in-operated-project.ts";
import { userModels } from "../cli/user-models.ts";
import type { WantedProvider } from "../commands/choose-provider.ts";
import { chooseWithStored, connectChosen } from "../commands/connect-chosen.ts";
import type { Project } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import type { Operations } from "../workspace/open-operations.ts";
import { listSessions, type UsedBefore } from "../workspace/stored-sessions.ts";
import { keyRequired } from "./auth-methods.ts";
import { toToolServers } from "./client-servers.ts";
import { type EditorSession, openEditorSession } from "./editor-session.ts";

/** What the command line says about the agent. */
export type GivenAgent = Pick<AgentOptions, "rules" | "engine" | "mode" | "web" | "effort">;

export interface ScopeOptions {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly gone: AbortSignal;
  /** In the folder of the session. */
  readonly terminal: Terminal;
  readonly wanted: WantedProvider;
  readonly given: GivenAgent;
  readonly folders: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly sessionId: string;
  readonly begins: "new" | "resumed";
}

/** A session with its project, which are closed together. */
export interface OpenedScope {
  readonly sessionId: string;
  readonly session: EditorSession;
  close(): Promise<void>;
}

/** Opens the project of a session, and the session in it. */
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
  const { client, capabilities, gone, terminal, wanted, given, folders, sessionId, begins } = options;
  const { folder, places, store } = project;
  const before = begins === "new" ? undefined : await findBefore(project, sessionId);
  const connection = await connectChosen(wanted, terminal, { before });
  if (connection === undefined) throw keyRequired(await chooseWithStored(wanted, terminal.environment, before));
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
        ...given,
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

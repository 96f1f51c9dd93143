import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import {
  type AgentContext,
  type ClientCapabilities,
  type InitializeRequest,
  type InitializeResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type LoadSessionRequest,
  type NewSessionRequest,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type ResumeSessionRequest,
  type SetSessionConfigOptionRequest,
  type SetSessionModeRequest,
} from "@agentclientprotocol/sdk";
import type { WantedProvider } from "../commands/choose-provider.ts";
import { chooseWithStored } from "../commands/connect-chosen.ts";
import { inProject } from "../commands/open-project.ts";
import type { Terminal } from "../commands/terminal.ts";
import { listSessions } from "../workspace/stored-sessions.ts";
import { readVersion } from "../workspace/version.ts";
import type { EditorSession } from "./editor-session.ts";
import { type AgentArguments, AUTH_METHODS, keyRequired, type OpenedScope, openScope } from "./open-scope.ts";
import type { SessionChoices } from "./session-options.ts";

interface RequestOptions {
  readonly terminal: Terminal;
  readonly providerArguments: WantedProvider;
  readonly agentArguments: AgentArguments;
  /** Aborted when the editor disconnects. */
  readonly gone: AbortSignal;
}

/** Answers an editor's requests about sessions. */
interface EditorRequests {
  initialize(request: InitializeRequest): InitializeResponse;
  authenticate(): Promise<object>;
  create(request: NewSessionRequest, client: AgentContext): Promise<NewSessionResponse>;
  load(request: LoadSessionRequest, client: AgentContext): Promise<SessionChoices>;
  resume(request: ResumeSessionRequest, client: AgentContext): Promise<SessionChoices>;
  list(request: ListSessionsRequest): Promise<ListSessionsResponse>;
  prompt(request: PromptRequest, signal: AbortSignal): Promise<PromptResponse>;
  cancel(sessionId: string): void;
  setMode(request: SetSessionModeRequest): Promise<object>;
  setOption(request: SetSessionConfigOptionRequest): Promise<Pick<SessionChoices, "configOptions">>;
  close(sessionId: string): Promise<object>;
  closeAll(): Promise<void>;
}

const PAGE = 100;

/** Answers the requests of one editor connection. */
export function answerRequests({ terminal, providerArguments, agentArguments, gone }: RequestOptions): EditorRequests {
  const open = new Map<string, OpenedScope>();
  /** All sessions, including sessions that are still opening, because the editor may disconnect in between. */
  const scopes = new Set<Promise<OpenedScope>>();
  /** The newest pending opening of each stored session. */
  const turns = new Map<string, Promise<unknown>>();
  let capabilities: ClientCapabilities = {};

  /** Runs openings of one session one after the other, because an editor may open a session that is open or opening. */
  async function inTurn<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    const before = turns.get(sessionId) ?? Promise.resolve();
    const result = before.then(work, work);
    turns.set(sessionId, result);
    try {
      return await result;
    } finally {
      if (turns.get(sessionId) === result) turns.delete(sessionId);
    }
  }

  function find(sessionId: string): EditorSession {
    const found = open.get(sessionId);
    if (found === undefined) throw RequestError.sessionNotFound(sessionId);
    return found.session;
  }

  async function begin(
    request: NewSessionRequest | LoadSessionRequest | ResumeSessionRequest,
    client: AgentContext,
  ): Promise<OpenedScope> {
    const { cwd, additionalDirectories: folders = [], mcpServers = [] } = request;
    for (const folder of [cwd, ...folders]) await checkFolder(folder);
    const stored = "sessionId" in request ? request.sessionId : undefined;
    if (stored !== undefined) await close(stored);
    const opening = openScope({
      client,
      capabilities,
      gone,
      terminal: { ...terminal, folder: cwd },
      providerArguments,
      agentArguments,
      folders,
      mcpServers,
      sessionId: stored ?? randomUUID(),
      begins: stored === undefined ? "new" : "resumed",
    });
    scopes.add(opening);
    try {
      const scope = await opening;
      open.set(scope.sessionId, scope);
      return scope;
    } finally {
      scopes.delete(opening);
    }
  }

  /** Greets after the response, because the editor then knows the session. */
  function greetLater({ session }: OpenedScope): void {
    setImmediate(() => {
      session.greet().catch((error: unknown) => terminal.say(messageOf(error), "warning"));
    });
  }

  async function close(sessionId: string): Promise<void> {
    const found = open.get(sessionId);
    open.delete(sessionId);
    await found?.close();
  }

  return {
    initialize(request) {
      capabilities = request.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "palimpsest", title: "Palimpsest", version: readVersion() },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
        },
        authMethods: AUTH_METHODS,
      };
    },
    async authenticate() {
      const choice = await chooseWithStored(providerArguments, terminal.environment);
      if (choice.key === undefined) throw keyRequired(choice);
      return {};
    },
    async create(request, client) {
      const scope = await begin(request, client);
      greetLater(scope);
      return { sessionId: scope.sessionId, ...scope.session.choices() };
    },
    load: (request, client) =>
      inTurn(request.sessionId, async () => {
        const scope = await begin(request, client);
        await scope.session.replay();
        greetLater(scope);
        return scope.session.choices();
      }),
    resume: (request, client) =>
      inTurn(request.sessionId, async () => {
        const scope = await begin(request, client);
        greetLater(scope);
        return scope.session.choices();
      }),
    async list({ cwd, cursor }) {
      const folder = cwd ?? terminal.folder;
      await checkFolder(folder);
      const sessions = await inProject({ ...terminal, folder }, ({ store }) => listSessions(store));
      const from = Number(cursor ?? 0);
      if (!Number.isSafeInteger(from) || from < 0) throw RequestError.invalidParams({ cursor }, "unknown cursor");
      const next = from + PAGE;
      return {
        sessions: sessions.slice(from, next).map(({ id, title, usedAtMs }) => ({
          sessionId: id,
          cwd: folder,
          title,
          updatedAt: new Date(usedAtMs).toISOString(),
        })),
        ...(next < sessions.length ? { nextCursor: String(next) } : {}),
      };
    },
    prompt: async ({ sessionId, prompt }, signal) => find(sessionId).prompt(prompt, signal),
    cancel: (sessionId) => open.get(sessionId)?.session.cancel(),
    async setMode({ sessionId, modeId }) {
      await find(sessionId).setMode(modeId);
      return {};
    },
    async setOption({ sessionId, configId, value }) {
      const session = find(sessionId);
      const option = session.choices().configOptions.find(({ id }) => id === configId);
      const values = option?.type === "select" ? option.options.map((one) => ("value" in one ? one.value : "")) : [];
      if (typeof value !== "string" || !values.includes(value))
        throw RequestError.invalidParams({ configId, value }, `there is no option ${configId} with this value`);
      const set = { mode: session.setMode, model: session.setModel, effort: session.setEffort }[configId];
      await set?.(value);
      return { configOptions: session.choices().configOptions };
    },
    async close(sessionId) {
      find(sessionId);
      await close(sessionId);
      return {};
    },
    async closeAll() {
      const late = (await Promise.allSettled(scopes)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      await Promise.allSettled([...new Set([...open.values(), ...late])].map((scope) => scope.close()));
    },
  };
}

/** Rejects a relative folder, which would depend on where the editor was started. */
async function checkFolder(folder: string): Promise<void> {
  if (!isAbsolute(folder)) throw RequestError.invalidParams({ folder }, `${folder} is not an absolute path`);
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw RequestError.invalidParams({ folder }, `there is no folder ${folder}`);
}

/** Converts our errors, so that their messages reach the editor. */
export function answered<Context, Response>(
  answer: (context: Context) => Promise<Response>,
): (context: Context) => Promise<Response> {
  return (context) =>
    answer(context).catch((error: unknown) => {
      if (error instanceof RequestError) throw error;
      throw new RequestError(RequestError.internalError().code, messageOf(error));
    });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

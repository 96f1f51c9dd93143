import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkSender, type Refused, refused } from "./http/check-sender.ts";
import { createEntryTokens } from "./http/entry-tokens.ts";
import { followSession } from "./http/follow-session.ts";
import { readSmallBody } from "./http/read-small-body.ts";
import { SECURITY_HEADERS } from "./http/security-headers.ts";
import { openSessions } from "./open-sessions.ts";
import { readPageFiles } from "./page-files.ts";
import { findRoute } from "./routes/find-route.ts";
import { memoryRoutes, type ShownMemory } from "./routes/memory-routes.ts";
import { requestRoutes } from "./routes/request-routes.ts";
import { countIn, json } from "./routes/route.ts";
import { SESSION_ROUTES } from "./routes/session-routes.ts";
import type { ProviderOf, SessionSource } from "./sources/session-source.ts";
import { sendWhatIf, whatIfChoices } from "./what-if/what-if-stream.ts";

/** The sessions that are shown, and the port of the page. */
export interface InspectorOptions {
  readonly sources: readonly SessionSource[];
  readonly providerOf: ProviderOf;
  /** Where indexes of logs are kept, so that a large log opens as quickly as a small one. @default in memory */
  readonly folder?: string;
  /** The memory that the page shows. @default none */
  readonly memory?: ShownMemory;
  /** @default any free port */
  readonly port?: number;
  /** How often a session that is followed is looked at. @default 300 */
  readonly followEveryMs?: number;
  /** Is told of failures that a page only sees as an error. */
  readonly onError?: (error: unknown) => void;
}

/** An inspector that runs. */
export interface Inspector {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  /**
   * An address for one browser: its fragment lets the browser in, once.
   * @param session the key of a session to open. @default the list
   */
  entryUrl(session?: string): string;
  close(): Promise<void>;
}

const NO_SESSION = refused(404, "no-such-session", "There is no such session.");

/**
 * Serves a page over sessions to browsers of this machine. Nothing is sent anywhere else. Nothing is changed either, unless a source lets
 * compactions be undone.
 */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const page = readPageFiles();
  const { sources, providerOf, folder, port = 0, followEveryMs, memory, onError } = options;
  const sessions = openSessions({ sources, folder });
  const tokens = createEntryTokens();
  const choices = { path: "/api/what-if", answer: async () => json(whatIfChoices()) };
  const routes = [...SESSION_ROUTES, ...requestRoutes(), ...memoryRoutes(memory), choices];
  const stopping = new AbortController();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      onError?.(error);
      if (response.headersSent) response.destroy();
      else sendRefused(response, refused(500, "failed", error instanceof Error ? error.message : String(error)));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const at = portOf(server.address());
    const stranger = checkSender(request, at);
    if (stranger !== undefined) return sendRefused(response, stranger);
    const url = new URL(request.url ?? "/", `http://127.0.0.1:${at}`);
    if (request.method === "POST" && url.pathname === "/api/enter") return enter(request, response, at);
    const undone = /^\/api\/sessions\/([^/]+)\/boundaries\/(\d+)\/undo$/.exec(url.pathname);
    const isUndo = request.method === "POST" && undone !== null;
    if (request.method !== "GET" && !isUndo)
      return sendRefused(response, refused(405, "only-reading", "Nothing can be changed."));
    const file = page.find(url.pathname);
    if (file !== undefined) {
      response.writeHead(200, { "content-type": file.type });
      return void response.end(file.bytes);
    }
    if (!tokens.isKnown(cookieOf(request, cookieName(at))))
      return sendRefused(response, refused(401, "not-let-in", "Open the address that `palimpsest inspect` printed."));
    if (isUndo) return undo(undone[1]!, Number(undone[2]), request, response);
    const replayed = /^\/api\/sessions\/([^/]+)\/what-if$/.exec(url.pathname)?.[1];
    if (replayed !== undefined) return whatIf(replayed, url.searchParams, response);
    const followed = /^\/api\/sessions\/([^/]+)\/live$/.exec(url.pathname)?.[1];
    if (followed !== undefined) return follow(followed, request, response);
    const found = findRoute(routes, url);
    if (found === undefined) return sendRefused(response, refused(404, "no-such-address", "There is nothing here."));
    const answered = await found.route.answer(found.question, { sessions, providerOf });
    if (answered.kind === "refused") sendRefused(response, answered);
    else sendJson(response, 200, answered.value);
  }

  /** A token is exchanged for a cookie: the address alone lets nobody in a second time. */
  async function enter(request: IncomingMessage, response: ServerResponse, at: number): Promise<void> {
    const cookie = tokens.exchange((await readSmallBody(request)) ?? "");
    if (cookie === undefined) {
      const message = "This address was used before. Run `palimpsest inspect` again for a new one.";
      return sendRefused(response, refused(401, "used-before", message));
    }
    response.setHeader("set-cookie", `${cookieName(at)}=${cookie}; HttpOnly; SameSite=Strict; Path=/`);
    sendJson(response, 200, { entered: true });
  }

  async function follow(key: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await sessions.find(key);
    if (session === undefined) return sendRefused(response, NO_SESSION);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const asked =
      request.headers["last-event-id"] ?? new URL(request.url!, "http://localhost").searchParams.get("after");
    await followSession(response, session, {
      after: countIn(asked as string | null) ?? 0,
      signal: AbortSignal.any([gone.signal, stopping.signal]),
      everyMs: followEveryMs,
    });
  }

  async function whatIf(key: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const session = await sessions.find(key);
    if (session === undefined) return sendRefused(response, NO_SESSION);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    await sendWhatIf(response, session, query, AbortSignal.any([gone.signal, stopping.signal]));
  }

  /** The only thing that a page can change. A page of another origin is refused before; one that does not say its origin is refused here. */
  async function undo(
    key: string,
    boundary: number,
    { headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (headers.origin === undefined)
      return sendRefused(response, refused(403, "other-origin", "Only the inspector's own page may change this."));
    const session = await sessions.find(key);
    if (session?.undo === undefined) return sendRefused(response, NO_SESSION);
    const undone = await session.undo(session.inspected.session, boundary);
    if (undone.kind === "undone") sendJson(response, 200, undone);
    else sendRefused(response, refused(409, "not-undone", undone.why));
  }

  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    await sessions.close();
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use. Choose another one, or 0 for any free port.`, { cause: error });
  }
  const address = `http://127.0.0.1:${portOf(server.address())}`;
  return {
    url: address,
    entryUrl(session) {
      const shown = session === undefined ? "" : `&session=${encodeURIComponent(session)}`;
      return `${address}/#token=${tokens.issue()}${shown}`;
    },
    async close() {
      stopping.abort();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      await sessions.close();
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return (address as AddressInfo).port;
}

/** Browsers keep cookies by host, not by port: two inspectors must not take each other's. */
function cookieName(port: number): string {
  return `palimpsest-${port}`;
}

function cookieOf({ headers }: IncomingMessage, name: string): string {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([key]) => key === name)?.[1] ?? "";
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
}

function sendRefused(response: ServerResponse, { status, code, message }: Refused): void {
  sendJson(response, status, { error: { code, message } });
}

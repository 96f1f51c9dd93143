import { readLines } from "./read-lines.ts";
import { type ClientOptions, createSend, type Wanted } from "./send.ts";
import { type WatchOptions, watchEvents } from "./watch-events.ts";
import type {
  Accepted,
  AnswerDraft,
  Compaction,
  CompactOptions,
  Content,
  Context,
  Cost,
  MessagePage,
  MessagesOptions,
  Metadata,
  PageOptions,
  QuestionPage,
  SessionDraft,
  SessionInfo,
  SessionPage,
  WatchedEvent,
} from "./wire.ts";

/** The sessions of one tenant, on a server. Methods throw an `ApiError` if the server refuses. */
export interface Client {
  create(draft?: SessionDraft): Promise<SessionInfo>;
  list(options?: PageOptions): Promise<SessionPage>;
  /** Lists open questions, of all sessions or of one. */
  questions(options?: PageOptions & { readonly session?: string }): Promise<QuestionPage>;
  /** A session by its id. Sends nothing. */
  session(id: string): SessionClient;
}

/** One session, on a server. */
export interface SessionClient {
  readonly id: string;
  read(): Promise<SessionInfo>;
  /** Says something. The answer comes as events. Sent again after a failure, it is taken once. */
  say(content: Content, options?: SayOptions): Promise<Accepted>;
  /** Watches what happens, across broken connections. */
  events(options?: WatchOptions): AsyncGenerator<WatchedEvent>;
  answer(callId: string, answer: AnswerDraft): Promise<void>;
  /** Ends the turn that answers what was said so far. */
  cancel(reason?: string): Promise<Accepted>;
  rewind(to: number, reason?: string): Promise<{ readonly entries: number }>;
  fork(options?: { readonly id?: string; readonly at?: number }): Promise<{ readonly id: string }>;
  compact(options?: CompactOptions): Promise<Compaction>;
  /** Lets a session run again that was set aside. */
  resume(): Promise<void>;
  messages(options?: MessagesOptions): Promise<MessagePage>;
  context(): Promise<Context>;
  cost(): Promise<Cost>;
  /** The log as lines of JSON. */
  export(): AsyncGenerator<string>;
  setMetadata(metadata: Metadata): Promise<void>;
  delete(): Promise<void>;
}

/** Options of one message. A repeated `key` adds the message once. */
export interface SayOptions {
  /** Names the message: the same key is taken once. Give one to say it again after your own process failed. @default a new one */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** Creates a client. It keeps no connection open, except for events that you watch. */
export function createClient(options: ClientOptions): Client {
  const send = createSend(options);
  // What replies say is the server's to keep: its tests hold them against the schemas.
  const json = async <Reply>(wanted: Wanted): Promise<Reply> => (await (await send(wanted)).json()) as Reply;
  const done = async (wanted: Wanted): Promise<void> => {
    await (await send(wanted)).body?.cancel();
  };

  function session(id: string): SessionClient {
    const path = `/v1/sessions/${encodeURIComponent(id)}`;
    const read = (): Promise<SessionInfo> => json({ method: "GET", path });
    return {
      id,
      read,
      say(content, { key = crypto.randomUUID(), signal } = {}) {
        const headers = { "idempotency-key": key };
        const wanted = {
          method: "POST",
          path: `${path}/messages`,
          headers,
          body: { content },
          repeat: "free",
        } as const;
        return json(signal === undefined ? wanted : { ...wanted, signal });
      },
      events: (wanted = {}) => watchEvents(send, id, async () => (await read()).newestEventOffset, wanted),
      answer: (callId, body) =>
        done({ method: "PUT", path: `${path}/questions/${encodeURIComponent(callId)}/answer`, body }),
      cancel: (reason) =>
        json({ method: "POST", path: `${path}/cancel`, body: reason === undefined ? {} : { reason }, repeat: "free" }),
      rewind: (to, reason) =>
        json({ method: "POST", path: `${path}/rewind`, body: reason === undefined ? { to } : { to, reason } }),
      fork: (body = {}) => json({ method: "POST", path: `${path}/fork`, body }),
      compact: (body = {}) => json({ method: "POST", path: `${path}/compact`, body }),
      resume: () => done({ method: "POST", path: `${path}/resume`, repeat: "free" }),
      messages: (query = {}) => json({ method: "GET", path: `${path}/messages`, query: { ...query } }),
      context: () => json({ method: "GET", path: `${path}/context` }),
      cost: () => json({ method: "GET", path: `${path}/cost` }),
      async *export() {
        yield* readLines(await send({ method: "GET", path: `${path}/export` }));
      },
      setMetadata: (body) => done({ method: "PUT", path: `${path}/metadata`, body }),
      delete: () => done({ method: "DELETE", path }),
    };
  }

  return {
    create: (body = {}) => json({ method: "POST", path: "/v1/sessions", body }),
    list: (query = {}) => json({ method: "GET", path: "/v1/sessions", query: { ...query } }),
    questions: (query = {}) => json({ method: "GET", path: "/v1/questions", query: { ...query } }),
    session,
  };
}

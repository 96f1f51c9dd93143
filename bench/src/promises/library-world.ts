import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { answer, type Exchange, type Script } from "@palimpsest/provider-simulator";
import OpenAI from "openai";
import {
  openSession,
  type Provider,
  type Session,
  type SessionEvent,
  type SessionOptions,
  type Store,
} from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import { sqliteStore } from "palimpsest/sqlite-store";
import { serveProviders } from "./serve-providers.ts";

export const MODEL = "claude-opus-5-5";

export type OpenOptions = Partial<SessionOptions<unknown, unknown, unknown>>;
export type EventOf<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { readonly kind: Kind }>;

/** What a builder has around the library: clients of the providers, a store on disk, and a listener. */
export interface LibraryWorld extends AsyncDisposable {
  readonly url: string;
  readonly anthropic: Provider;
  readonly openaiResponses: Provider;
  readonly openaiChat: Provider;
  readonly store: Store;
  /** Opens a session that is closed with the world. Without options: Anthropic's, in the world's store, with default settings. */
  open(options?: OpenOptions): Promise<Session>;
  /** Everything that the sessions of `open` emitted. */
  readonly events: readonly SessionEvent[];
  /** Those of a kind; `like` names values that they must have. */
  emitted<Kind extends SessionEvent["kind"]>(kind: Kind, like?: Partial<EventOf<Kind>>): readonly EventOf<Kind>[];
  /** Requests that arrived at the simulator, oldest first. */
  readonly exchanges: () => readonly Exchange[];
}

/** The real clients against a simulated provider whose model follows a script. */
export async function openWorld(folder: string, script: Script = () => answer("Done.")): Promise<LibraryWorld> {
  const server = await serveProviders(script);
  const openai = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 })) as Provider;
  const store = sqliteStore({ folder: join(folder, "sessions") });
  const events: SessionEvent[] = [];
  const sessions: Session[] = [];
  const defaults = { store, provider, model: MODEL, settingsFrom: { environment: {} } };
  return {
    url: server.url,
    anthropic: provider,
    openaiResponses: openaiResponses(openai) as Provider,
    openaiChat: openaiChat(openai) as Provider,
    store,
    async open(options = {}) {
      const session = await openSession({ ...defaults, onEvent: (event) => events.push(event), ...options });
      sessions.push(session);
      return session;
    },
    events,
    emitted(kind, like = {}) {
      const wanted = Object.entries({ ...like, kind });
      const isWanted = (event: object) => wanted.every(([name, value]) => Reflect.get(event, name) === value);
      return events.filter((event): event is EventOf<typeof kind> => isWanted(event));
    },
    exchanges: () => server.recorder.exchanges,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) await session.close();
      await store.close();
      await server.close();
    },
  };
}

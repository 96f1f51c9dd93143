import { answer, type IdleClock, idleClock, type Reply } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, readStream, type Session, type SessionOptions, type Store } from "palimpsest";
import { textOf } from "./histories.ts";
import { SUMMARIZERS, type Summarizer } from "./summarizers.ts";
import { createWorld, type Profile, type World } from "./worlds.ts";

export interface ConversationOptions {
  readonly profile: Profile;
  /** @default 32,000 */
  readonly windowTokens?: number;
  /** @default a good one */
  readonly summarizer?: Summarizer;
  /** @default memory */
  readonly store?: Store;
  /** Of the network. @default one that never waits longer than it must */
  readonly clock?: IdleClock;
  readonly options?: Partial<SessionOptions<object, object, unknown>>;
}

export interface Conversation {
  readonly world: World;
  readonly store: Store;
  session: Session;
  reopen(): Promise<Session>;
  /** The next request, as text. */
  next(): Promise<string>;
  /** The user says something, and the model answers. */
  turn(name: string, windows?: number, reply?: Reply): Promise<{ readonly entry: number; readonly request: string }>;
  send(request: object, reply: Reply): Promise<object>;
}

/** A session with its provider in one process; every call beside the conversation goes to the summarizer. */
export async function converse(limits: ConversationOptions): Promise<Conversation> {
  const {
    profile,
    windowTokens = 32_000,
    summarizer = SUMMARIZERS["good"]!,
    clock = idleClock(1_000),
    options,
  } = limits;
  const world = createWorld({ profile, windowTokens, seed: 5, clock, summarizer });
  const { provider, model, parameters } = world;
  const store = limits.store ?? memoryStore({ leaseMs: 0 });
  const reopen = () =>
    openSession({
      id: "s",
      store,
      provider,
      model,
      parameters,
      clock,
      system: "Be brief.",
      takeover: "always" as const,
      // Notes are asked for beside the conversation, at times that this does not control.
      settings: { notes: "off" },
      settingsFrom: { environment: {} },
      ...options,
    });
  const conversation: Conversation = {
    world,
    store,
    reopen,
    session: await reopen(),
    async next() {
      world.reply = undefined;
      return JSON.stringify(await conversation.session.prepare());
    },
    async turn(name, windows = 0.05, reply = answer(`Done with ${name}.`)) {
      const { session } = conversation;
      await session.append(textOf({ windows, script: 0 }, windowTokens, name));
      world.reply = undefined;
      const request = await session.prepare();
      const entry = session.history.newestEntry;
      await session.record(await conversation.send(request, reply), request);
      return { entry, request: JSON.stringify(request) };
    },
    async send(request, reply) {
      world.reply = reply;
      try {
        return await readStream(provider.send(request));
      } finally {
        world.reply = undefined;
      }
    },
  };
  return conversation;
}

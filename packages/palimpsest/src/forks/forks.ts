import { ForkError } from "../errors.ts";
import { readStream } from "../providers/read-stream.ts";
import type { ForkRequestOptions } from "../session/fork/fork-request-options.ts";
import { sendStandalone } from "../session/fork/send-standalone.ts";
import { watchFork } from "../session/fork/watch-fork.ts";
import { type OpenedLog, openWriter } from "../session/open-writer.ts";
import type { RecordedResponse } from "../session/recorded-response.ts";
import type { NewContent } from "../session/to-contents.ts";
import type { ForkBase, Opening, SessionContext } from "../state/context.ts";
import type { Requests } from "../state/ports.ts";
import { findDeparture } from "../state/prefix.ts";
import type { EnterUsage } from "../state/responses.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { Answer, AskOptions, ForkOptions } from "./options.ts";

/** What a conversation uses of the session that was opened for it. */
export interface ForkedSession<Request, Response> {
  readonly signal: AbortSignal;
  append(content: NewContent): Promise<unknown>;
  prepare(): Promise<Request>;
  record(response: Response, request?: Request): Promise<RecordedResponse>;
  close(): Promise<void>;
}

/** How a fork is opened by its parent. */
export interface ForkOpening extends Opening {
  readonly id: string;
  readonly base: ForkBase;
}

/** Opens a session that shares another's prompt. */
export type OpenFork<Forked> = (
  opening: ForkOpening,
) => Promise<{ readonly session: Forked; readonly requests: Pick<Requests<unknown>, "prefix"> }>;

export interface ForksParts<Request, Forked> {
  readonly requests: Requests<Request>;
  readonly enterUsage: EnterUsage;
  readonly openFork: OpenFork<Forked>;
}

/** A talk with the model on a fork that is forgotten afterwards. */
export interface ForkConversation {
  ask(words: string): Promise<void>;
  /** What the model says to it. After a call that failed, it may be asked for again. */
  answer(options?: { readonly signal?: AbortSignal; readonly onPart?: AskOptions["onPart"] }): Promise<Answer>;
  close(): Promise<void>;
}

export interface Forks<Forked> {
  fork(options: ForkOptions): Promise<Forked>;
  converse(options: Pick<ForkOptions, "source" | "signal">): Promise<ForkConversation>;
  ask(question: string, options: AskOptions): Promise<Answer>;
}

/** Sessions that share this one's prompt, and have all else for themselves. */
export function createForks<Request, Response, Message, Forked extends ForkedSession<Request, Response>>(
  context: SessionContext<Request, Response, Message>,
  { requests, enterUsage, openFork }: ForksParts<Request, Forked>,
): Forks<Forked> {
  const { session, options, state, provider, base, emit, clock, settingsReader, tools } = context;

  /** A log for a fork of that name; one that nobody keeps, if it has none. */
  function openLog(name: string | undefined): Promise<OpenedLog> {
    return openWriter(name === undefined ? memoryStore({ clock }) : options.store, name ?? session, options);
  }

  async function open(wanted: ForkOptions, cacheWrites: ForkRequestOptions["cacheWrites"]) {
    const { source, id, allowedTools, signal = context.signal } = wanted;
    // A fork may ask a question of its own, such as for its phrase or its summary; nothing of it outlives the answer.
    if (base !== undefined && cacheWrites === "as-usual")
      throw new ForkError(session, `it is a fork itself, of session ${base.fork.session}`);
    const at = wanted.at ?? state.newestEntry;
    const [parting] = await state.log.read(at, at);
    if (parting === undefined) throw new ForkError(session, `it has no entry ${at}`);
    const { sequence, hash } = parting;
    const allowed = allowedTools === undefined ? {} : { allowedTools };
    const ends = AbortSignal.any([context.signal, signal]);
    const opened = await openFork({
      id: id ?? `${session}:${source}`,
      resultSession: id ?? session,
      ...(await openLog(id)),
      base: { reader: state.log, sequence, fork: { session, sequence, hash, source, ...allowed } },
      cacheWrites,
      settingsReader,
      tools: tools.copy(),
      signal: ends,
      watch: watchFork({ source, signal: ends, enterUsage, emit }),
    });
    const departure = findDeparture(requests.prefix(), opened.requests.prefix());
    if (departure === undefined) return opened;
    await opened.session.close();
    throw new ForkError(
      session,
      `its prompt is rendered in another way from ${departure} on, which would miss the cache`,
    );
  }

  async function converse({ source, signal }: Pick<ForkOptions, "source" | "signal">): Promise<ForkConversation> {
    const wanted = { source, allowedTools: [], ...(signal === undefined ? {} : { signal }) };
    const { session: fork } = await state.inOrder(() => open(wanted, "none"));
    return {
      async ask(words) {
        await fork.append({ role: "user", origin: "host", blocks: [{ kind: "text", text: words }] });
      },
      async answer({ signal: ends = fork.signal, onPart } = {}) {
        const request = await fork.prepare();
        const response = await readStream(
          provider.send(request, { signal: AbortSignal.any([fork.signal, ends]) }),
          onPart,
        );
        const { text, stop, usage, model, refusedCalls = [] } = await fork.record(response, request);
        return { text, stop, usage, model, refusedCalls: refusedCalls.length };
      },
      close: () => fork.close(),
    };
  }

  return {
    async fork(wanted) {
      return (await state.inOrder(() => open(wanted, "as-usual"))).session;
    },

    converse,

    async ask(question, { source, signal, onPart, standalone }) {
      if (standalone !== undefined) {
        const ends = signal === undefined ? context.signal : AbortSignal.any([context.signal, signal]);
        const said = [{ role: "user" as const, blocks: [{ kind: "text" as const, text: question }] }];
        return sendStandalone(context, enterUsage, {
          ...standalone,
          source,
          said,
          signal: ends,
          ...(onPart === undefined ? {} : { onPart }),
        });
      }
      const conversation = await converse({ source, ...(signal === undefined ? {} : { signal }) });
      try {
        await conversation.ask(question);
        return await conversation.answer(onPart === undefined ? {} : { onPart });
      } finally {
        await conversation.close();
      }
    },
  };
}

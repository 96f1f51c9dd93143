// Opens forks: sessions that share the cached prompt of another session. Also asks single questions on a fork.

import { ForkError } from "../errors.ts";
import type { NewContent } from "../log/messages.ts";
import type { StreamPart } from "../providers/provider.ts";
import { readStream } from "../providers/stream.ts";
import type { Emit, UsedTokens } from "../session-event.ts";
import type { ForkBase, Opening, SessionContext } from "../state/context.ts";
import { type OpenedLog, openWriter } from "../state/log.ts";

import type { ForkRequestOptions, ForkWatch, Requests } from "../state/ports.ts";
import { findDeparture } from "../state/prefix.ts";
import { type EnterUsage, emitSideResponse, type RecordedResponse, wholeTokens } from "../state/responses.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { FlatMessage } from "../view/view.ts";
import type { Answer, AskOptions, ForkOptions } from "./options.ts";

interface StandaloneCall {
  readonly source: string;
  readonly model: string;
  readonly system: string;
  readonly said: readonly FlatMessage[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly onPart?: (part: StreamPart) => void;
}

/** Asks a model that does not see the conversation. Its usage is charged to the session's ledger. */
export async function sendStandalone<Request, Response, Message>(
  { session, provider, factsOf, clock, emit }: SessionContext<Request, Response, Message>,
  enterUsage: EnterUsage,
  { source, system, said, maxOutputTokens, signal, onPart, ...wanted }: StandaloneCall,
): Promise<Answer> {
  const request = provider.renderRequest({
    model: wanted.model,
    system,
    tools: [],
    parameters: {},
    marks: [],
    cacheTtl: "5m",
    messages: said.flatMap((message) => provider.renderMessage(message)),
    maxTokens: Math.min(maxOutputTokens, factsOf(wanted.model).maxOutputTokens),
    session: `${session}:${source}`,
  });
  const requestedAtMs = clock.now();
  const response = await readStream(provider.send(request, { signal }), onPart);
  const { blocks, responseId, model, stop, usage } = provider.readResponse(response);
  await enterUsage({ responseId, model, ...usage, source });
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  const { prices } = factsOf(model);
  const call = { source, provider: provider.name, requestModel: wanted.model, requestedAtMs, prices };
  emitSideResponse(emit, call, { responseId, model, stop, usage, text });
  return { text, stop, usage, model, refusedCalls: blocks.filter(({ kind }) => kind === "tool_call").length };
}

/** The fork to watch, and its parent's ledger and events. */
interface WatchForkOptions {
  readonly source: string;
  /** Ends the fork. */
  readonly signal: AbortSignal;
  /** Adds usage to the ledger of the parent. */
  readonly enterUsage: EnterUsage;
  readonly emit: Emit;
}

const NOTHING = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Charges a fork's responses to its parent, and emits how the fork ended. A fork without a request emits nothing. */
function watchFork({ source, signal, enterUsage, emit }: WatchForkOptions): ForkWatch {
  let newest: "none" | "open" | "answered" = "none";
  let used: UsedTokens = NOTHING;
  return {
    asked() {
      newest = "open";
    },
    async recorded({ responseId, model, usage }) {
      newest = "answered";
      used = sum(used, wholeTokens(usage));
      await enterUsage({ responseId, model, ...usage, source });
    },
    async interrupted(use) {
      used = sum(used, use);
      await enterUsage({ ...use, source });
    },
    closed() {
      if (newest === "none") return;
      const outcome = newest === "answered" ? "ok" : signal.aborted ? "aborted" : "failed";
      emit({ kind: "forked", source, outcome, used });
    },
  };
}

function sum(one: UsedTokens, other: UsedTokens): UsedTokens {
  return {
    freshTokens: one.freshTokens + other.freshTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0),
  };
}

/** The parts of a forked session that a conversation uses. */
interface ForkedSession<Request, Response> {
  readonly signal: AbortSignal;
  append(content: NewContent): Promise<unknown>;
  prepare(): Promise<Request>;
  record(response: Response, request?: Request): Promise<RecordedResponse>;
  close(): Promise<void>;
}

/** The parent's input for opening a fork. */
interface ForkOpening extends Opening {
  readonly id: string;
  readonly base: ForkBase;
}

/** Opens a session that shares the prompt of its parent. */
export type OpenFork<Forked> = (
  opening: ForkOpening,
) => Promise<{ readonly session: Forked; readonly requests: Pick<Requests<unknown>, "prefix"> }>;

interface ForksParts<Request, Forked> {
  readonly requests: Requests<Request>;
  readonly enterUsage: EnterUsage;
  readonly openFork: OpenFork<Forked>;
}

/** A conversation with the model on a temporary fork. Closing it discards the fork. */
interface ForkConversation {
  ask(words: string): Promise<void>;
  /** Sends the request and returns the answer. It can be called again after a failure. */
  answer(options?: { readonly signal?: AbortSignal; readonly onPart?: AskOptions["onPart"] }): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens forks and asks questions. */
export interface Forks<Forked> {
  fork(options: ForkOptions): Promise<Forked>;
  converse(options: Pick<ForkOptions, "source" | "signal">): Promise<ForkConversation>;
  ask(question: string, options: AskOptions): Promise<Answer>;
}

/**
 * Creates the functions that open forks of a session. A fork shares only the prompt: log, view and ledger are separate.
 */
export function createForks<Request, Response, Message, Forked extends ForkedSession<Request, Response>>(
  context: SessionContext<Request, Response, Message>,
  { requests, enterUsage, openFork }: ForksParts<Request, Forked>,
): Forks<Forked> {
  const { session, options, state, provider, base, emit, clock, settingsReader, tools } = context;

  /** Opens a log in the store for a fork with a name, and a log in memory for a fork without one. */
  function openLog(name: string | undefined): Promise<OpenedLog> {
    return openWriter(name === undefined ? memoryStore({ clock }) : options.store, name ?? session, options);
  }

  async function open(wanted: ForkOptions, cacheWrites: ForkRequestOptions["cacheWrites"]) {
    const { source, id, allowedTools, signal = context.signal } = wanted;
    // A fork can ask single questions, for example for a summary, because their forks are discarded after the answer.
    if (base !== undefined && cacheWrites === "as-usual")
      throw new ForkError(session, `it is itself a fork of session ${base.fork.session}`);
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
      `the fork renders a different prompt from ${departure} on, so it would miss the cache`,
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

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

/** Asks a model that sees nothing of the conversation; what it uses is in the session's ledger. */
export async function sendStandalone(
  { session, provider, factsOf, clock, emit }: SessionContext,
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

interface WatchForkOptions {
  readonly source: string;
  /** Ends the fork. */
  readonly signal: AbortSignal;
  /** Of the parent: its ledger holds what its forks have used. */
  readonly enterUsage: EnterUsage;
  readonly emit: Emit;
}

const NOTHING = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Charges a fork's responses to its parent, and tells how it ended. One that has asked nothing is not told of. */
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

/** What a conversation uses of the session that was opened for it. */
interface ForkedSession {
  readonly signal: AbortSignal;
  append(content: NewContent): Promise<unknown>;
  prepare(): Promise<unknown>;
  record(response: unknown, request?: unknown): Promise<RecordedResponse>;
  close(): Promise<void>;
}

/** How a fork is opened by its parent. */
interface ForkOpening extends Opening {
  readonly id: string;
  readonly base: ForkBase;
}

/** Opens a session that shares another's prompt. */
export type OpenFork<Forked> = (
  opening: ForkOpening,
) => Promise<{ readonly session: Forked; readonly requests: Pick<Requests, "prefix"> }>;

interface ForksParts<Forked> {
  readonly requests: Requests;
  readonly enterUsage: EnterUsage;
  readonly openFork: OpenFork<Forked>;
}

/** A talk with the model on a fork that is forgotten afterwards. */
interface ForkConversation {
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
export function createForks<Forked extends ForkedSession>(
  context: SessionContext,
  { requests, enterUsage, openFork }: ForksParts<Forked>,
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

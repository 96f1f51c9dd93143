// Opens forks: sessions that share the cached prompt of another session. Also asks single questions on a fork.

import { forkUseOf } from "../cost/fold.ts";
import { type LedgerLine, newestAnswered } from "../cost/ledger.ts";
import { ForkError } from "../errors.ts";
import type { NewContent } from "../log/messages.ts";
import type { ForkPayload } from "../log/payload.ts";
import type { ResponseContent, StreamPart } from "../providers/provider.ts";
import { readStream } from "../providers/stream.ts";
import type { ForkMissedCache, UsedTokens } from "../session-event.ts";
import type { ForkBase, Opening, SessionCore } from "../state/core.ts";
import { loadView, readConfiguration, readEntry } from "../state/load.ts";
import { type OpenedLog, openWriter, withoutConfigurations } from "../state/log.ts";
import type { ForkRequestOptions, ForkWatch, Prefix, PromptSource } from "../state/ports.ts";
import {
  emitSideResponse,
  enterUsage,
  type RecordedResponse,
  type UsageOfOthers,
  wholeTokens,
} from "../state/responses.ts";
import type { SessionState } from "../state/state.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { type FlatMessage, newestSeal } from "../view/view.ts";

/** Options of a fork. Only `source`, its name in the ledger, is required. */
export interface ForkOptions {
  /** The purpose of the fork. The ledger counts its usage under this name. */
  readonly source: string;
  /** The id of the fork in the store, for opening it again. @default the fork is deleted when it is closed */
  readonly id?: string;
  /** The entry after which the fork starts. Several forks of one entry start with the same prompt. @default the newest */
  readonly at?: number;
  /** Tools that the fork may use. The tool list stays complete, and calls to other tools are refused. @default all */
  readonly allowedTools?: readonly string[];
  /** Ends the fork. The end of its parent does, too. */
  readonly signal?: AbortSignal;
}

/** Options of one question to the model beside the conversation. */
export interface AskOptions extends Pick<ForkOptions, "source" | "signal"> {
  /** Called with every piece of the answer as it arrives. */
  readonly onPart?: (part: StreamPart) => void;
  /** Asks another model, without the conversation. @default the model of the session, with the whole conversation */
  readonly standalone?: StandaloneModel;
}

interface StandaloneModel {
  readonly model: string;
  readonly system: string;
  readonly maxOutputTokens: number;
}

export interface Answer extends Pick<ResponseContent, "stop" | "usage" | "model"> {
  readonly text: string;
  /** The number of tool calls in the answer. They are refused. */
  readonly refusedCalls: number;
}

/** The part of a session that a conversation uses. */
interface ForkedSession {
  readonly signal: AbortSignal;
  append(content: NewContent): Promise<unknown>;
  prepare(): Promise<unknown>;
  record(response: unknown, request?: unknown): Promise<RecordedResponse>;
  close(): Promise<void>;
}

/** How a parent opens a fork. */
interface ForkOpening extends Opening {
  readonly id: string;
  readonly base: ForkBase;
}

/** Opens a session that shares the prompt of another session. */
export type OpenFork<Forked> = (
  opening: ForkOpening,
) => Promise<{ readonly session: Forked; readonly outlet: PromptSource }>;

/** A conversation with the model on a fork that is deleted afterwards. */
interface ForkConversation {
  ask(words: string): Promise<void>;
  /** Resolves to the model's answer. It can be called again after a call that failed. */
  answer(options?: { readonly signal?: AbortSignal; readonly onPart?: AskOptions["onPart"] }): Promise<Answer>;
  close(): Promise<void>;
}

/** The parts of a session that its forks need. */
interface ForksParts extends SessionCore {
  readonly outlet: PromptSource;
}

/** Sessions that share the prompt of this session. Everything else they have for themselves. */
export class Forks<Forked extends ForkedSession = ForkedSession> {
  readonly #parts: ForksParts;
  readonly #openFork: OpenFork<Forked>;

  constructor(parts: ForksParts, openFork: OpenFork<Forked>) {
    this.#parts = parts;
    this.#openFork = openFork;
  }

  /** Opens a fork for the host. */
  async fork(options: ForkOptions): Promise<Forked> {
    return this.#parts.state.inOrder(() => this.#open(options, "as-usual"));
  }

  /** Asks a question outside the conversation. */
  async ask(question: string, { source, signal, onPart, standalone }: AskOptions): Promise<Answer> {
    if (standalone !== undefined) {
      const said = [{ role: "user" as const, blocks: [{ kind: "text" as const, text: question }] }];
      const ends = anyOf(this.#parts.ports.signal, signal);
      return sendStandalone(this.#parts, { ...standalone, source, said, signal: ends, onPart });
    }
    const conversation = await this.converse({ source, signal });
    try {
      await conversation.ask(question);
      return await conversation.answer({ onPart });
    } finally {
      await conversation.close();
    }
  }

  /** Opens a fork for a conversation. Its requests read the cache, and write nothing to it. */
  async converse({ source, signal }: Pick<ForkOptions, "source" | "signal">): Promise<ForkConversation> {
    const { state, ports } = this.#parts;
    const fork = await state.inOrder(() => this.#open({ source, allowedTools: [], signal }, "none"));
    return {
      async ask(words) {
        await fork.append({ role: "user", origin: "host", blocks: [{ kind: "text", text: words }] });
      },
      async answer({ signal: ends = fork.signal, onPart } = {}) {
        const request = await fork.prepare();
        const sent = ports.provider.send(request, { signal: AbortSignal.any([fork.signal, ends]) });
        const response = await readStream(sent, onPart);
        const { text, stop, usage, model, refusedCalls = [] } = await fork.record(response, request);
        return { text, stop, usage, model, refusedCalls: refusedCalls.length };
      },
      close: () => fork.close(),
    };
  }

  async #open(wanted: ForkOptions, cacheWrites: ForkRequestOptions["cacheWrites"]): Promise<Forked> {
    const { id: session, state, settings, policy, ports, fork } = this.#parts;
    const { source, id, allowedTools, at = state.newestEntry } = wanted;
    // A fork may have a conversation, for example for its own summary: nothing of the conversation outlives its answer.
    if (fork !== undefined && cacheWrites === "as-usual")
      throw new ForkError(session, `it is itself a fork of session ${fork.root}`);
    const [parting] = await state.log.read(at, at);
    if (parting === undefined) throw new ForkError(session, `it has no entry ${at}`);
    const { sequence, hash } = parting;
    const configuration = await sentConfiguration(state);
    const signal = anyOf(ports.signal, wanted.signal);
    const opened = await this.#openFork({
      id: id ?? `${session}:${source}`,
      resultSession: id ?? session,
      ...(await this.#openLog(id)),
      base: {
        reader: state.log,
        sequence,
        configuration,
        fork: { session, sequence, hash, source, allowedTools, configuration, head: headOf(state) },
      },
      cacheWrites,
      settingsReader: settings.reader,
      ruleFailures: policy.ruleFailures,
      pingRefusal: ports.pings.refusal,
      tools: ports.tools.copy(),
      signal,
      watch: watchFork({ source, signal, parent: this.#parts }),
    });
    const departure = findDeparture(await this.#sentPrefix(configuration), opened.outlet.prefix());
    if (departure === undefined) return opened.session;
    await opened.session.close();
    throw new ForkError(
      session,
      `its prompt is rendered in another way from ${departure} on, which would miss the cache`,
    );
  }

  /** Returns the prompt that forks begin with. */
  async #sentPrefix(configuration: number | undefined): Promise<Prefix> {
    const { state, outlet } = this.#parts;
    if (configuration === undefined) return outlet.prefix();
    const log = withoutConfigurations(state.log, configuration);
    const { view } = await loadView(log, state.newestEntry, state.view.featureOptions);
    return outlet.prefix(view);
  }

  /** The log of a fork. A fork without an id has a log in memory, which nobody keeps. */
  #openLog(id: string | undefined): Promise<OpenedLog> {
    const { options, ports } = this.#parts;
    const store = id === undefined ? memoryStore({ clock: ports.clock }) : options.store;
    return openWriter(store, id ?? this.#parts.id, options);
  }
}

/**
 * Returns the configuration of the newest request if the parent has changed its configuration since: forks begin with the sent one,
 * because its prompt is in the cache. Undefined if nothing has changed. Undefined also for another model, which does not read that
 * cache, and after a compaction, which continues with the new configuration.
 */
async function sentConfiguration({ log, view, configuration }: SessionState): Promise<number | undefined> {
  const request = newestSeal(view)?.from;
  if (request === undefined || configuration.entry < request) return undefined;
  const boundary = await log.newest("boundary", Number.POSITIVE_INFINITY, request);
  if (boundary !== undefined && boundary.sequence > request) return undefined;
  const read = await readEntry(log, request);
  const entry = read?.kind === "request" ? read.payload.cache?.configuration : undefined;
  const sent = entry === undefined ? undefined : await readConfiguration(log, entry, view.featureOptions);
  return sent?.provider === configuration.provider && sent.model === configuration.model ? sent.entry : undefined;
}

/** A session that has made no request has nothing in the cache, so its forks share no prompt with it. */
function headOf({ ledger, view }: SessionState): ForkPayload["head"] {
  return newestAnswered(ledger) === undefined && newestSeal(view) === undefined ? "own" : undefined;
}

function anyOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? signal : AbortSignal.any([signal, other]);
}

interface StandaloneCall {
  readonly source: string;
  readonly model: string;
  readonly system: string;
  readonly said: readonly FlatMessage[];
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  readonly onPart?: (part: StreamPart) => void;
}

/** Asks a model a question without the conversation. The session's ledger counts its usage. */
export async function sendStandalone(
  core: SessionCore,
  { source, system, said, maxOutputTokens, signal, onPart, ...wanted }: StandaloneCall,
): Promise<Answer> {
  const { provider, facts, clock, emit } = core.ports;
  const request = provider.renderRequest({
    model: wanted.model,
    system,
    tools: [],
    parameters: {},
    marks: [],
    cacheTtl: "5m",
    messages: said.flatMap((message) => provider.renderMessage(message)),
    maxTokens: Math.min(maxOutputTokens, facts.of(wanted.model).maxOutputTokens),
    session: `${core.id}:${source}`,
  });
  const requestedAtMs = clock.now();
  const response = await readStream(provider.send(request, { signal }), onPart);
  const { blocks, responseId, model, stop, usage } = provider.readResponse(response);
  await enterUsage(core, { responseId, model, ...usage, source });
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  const { prices } = facts.of(model);
  const call = { source, provider: provider.name, requestModel: wanted.model, requestedAtMs, prices };
  emitSideResponse(emit, call, { responseId, model, stop, usage, text });
  return { text, stop, usage, model, refusedCalls: blocks.filter(({ kind }) => kind === "tool_call").length };
}

interface WatchForkOptions {
  readonly source: string;
  /** Ends the fork. */
  readonly signal: AbortSignal;
  /** The parent, whose ledger counts the usage of its forks. */
  readonly parent: SessionCore;
}

const NOTHING = { freshTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

/** Charges the responses of a fork to its parent, and emits `forked` at its end. A fork that has asked nothing emits no event. */
function watchFork({ source, signal, parent }: WatchForkOptions): ForkWatch {
  let newest: "none" | "open" | "answered" = "none";
  let used: UsedTokens = NOTHING;

  async function charge(usage: UsageOfOthers, line: LedgerLine | undefined): Promise<void> {
    await enterUsage(parent, { ...usage, fork: line && forkUseOf(line) });
    const missed = line && missedCache(line);
    if (missed !== undefined) parent.ports.emit(missed);
  }

  return {
    asked() {
      newest = "open";
    },
    async recorded({ responseId, model, usage }, line) {
      newest = "answered";
      used = sum(used, wholeTokens(usage));
      await charge({ responseId, model, ...usage, source }, line);
    },
    async interrupted(use, line) {
      used = sum(used, use);
      await charge({ ...use, source }, line);
    },
    closed() {
      if (newest === "none") return;
      const outcome = newest === "answered" ? "ok" : signal.aborted ? "aborted" : "failed";
      parent.ports.emit({ kind: "forked", source, outcome, used });
    },
  };
}

/** Returns the event for a fork that did not read what its parent had left in the cache. Undefined for other responses. */
export function missedCache(line: LedgerLine): ForkMissedCache | undefined {
  const { source, cacheReadTokens: readTokens, forkExpectedTokens: expectedTokens, break: cacheBreak } = line;
  if (expectedTokens === undefined || cacheBreak === undefined) return undefined;
  const { causes, what, providerSays, rebilledUsd: missedUsd } = cacheBreak;
  const percent = Math.round((100 * readTokens) / expectedTokens);
  return {
    kind: "fork-missed-cache",
    source,
    expectedTokens,
    readTokens,
    percent,
    causes,
    what,
    providerSays,
    missedUsd,
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

/**
 * Finds the first difference between a fork's request and the prompt that its parent has sent. Undefined if the request
 * begins with the whole prompt, as it must, because the provider finds its cache by these bytes. The parent's last
 * message may have additional blocks at its end.
 */
function findDeparture(parent: Prefix, fork: Prefix): string | undefined {
  for (const part of ["model", "system", "tools", "parameters"] as const) {
    if (JSON.stringify(parent.head[part]) !== JSON.stringify(fork.head[part])) return part;
  }
  const last = parent.messages.length - 1;
  for (const [index, message] of parent.messages.entries()) {
    const own = fork.messages[index];
    const blocks = index === last ? own?.blocks.slice(0, message.blocks.length) : own?.blocks;
    const isSame = own?.role === message.role && JSON.stringify(blocks) === JSON.stringify(message.blocks);
    if (!isSame) return `message ${index + 1} of ${parent.messages.length}`;
  }
  return undefined;
}

// Writes sessions that took place in another program, with their original times.

import { SessionBusyError, SessionLostError } from "../errors.ts";
import type { Block } from "../log/block.ts";
import { type Draft, type Entry, toDraft } from "../log/entry.ts";
import { type NewContent, toContents } from "../log/messages.ts";
import type { CacheTtl, MessagePayload, ReplacePayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import type { UsageTokens } from "../log/usage.ts";
import type { KnownModel } from "../providers/known-models.ts";
import { addFeatures, estimateTokens, featuresOf, NO_FEATURES } from "../size/calibration.ts";
import { wholeTokens } from "../state/responses.ts";
import { SessionState } from "../state/state.ts";
import { collectBatch } from "../stores/read.ts";
import type { AppendResult, LogWriter, Store } from "../stores/store.ts";
import { type Item, sizeTokens, type View } from "../view/view.ts";
import { changeConfiguration } from "./configure.ts";
import { fold, rewind } from "./decisions.ts";
import { describeNextRequest } from "./prepare.ts";

/**
 * The buffer is written at this many entries or characters. A store syncs every append, and syncing this much takes
 * about as long as syncing one entry.
 */
const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 8_000_000;

interface RecorderOptions {
  readonly store: Store;
  readonly id: string;
  /** Names the writer to other processes that find the session in use. */
  readonly owner: string;
}

type OpenedRecorder =
  | { readonly kind: "opened"; readonly recorder: SessionRecorder }
  /** The store already has a session with this id. Nothing was written. */
  | { readonly kind: "exists"; readonly entries: number };

/** Opens a recorder for a session that took place in another program. */
export async function openRecorder({ store, id, owner }: RecorderOptions): Promise<OpenedRecorder> {
  const result = await store.openWriter(id, { owner });
  if (result.kind === "busy") throw new SessionBusyError({ session: id, ...result });
  const { sequence } = await result.writer.head();
  if (sequence > 0) {
    await result.writer.close();
    return { kind: "exists", entries: sequence };
  }
  const writer = await createBufferedWriter(result.writer);
  let nowMs = 0;
  const state = await SessionState.open({ session: id, writer, clock: { now: () => nowMs } });
  const setTime = (atMs: number): void => {
    nowMs = Math.round(atMs);
  };
  const parts = () => ({ state, options: {}, ports: { provider: { name: state.configuration.provider } } });

  const recorder: SessionRecorder = {
    id,
    get newestEntry() {
      return state.newestEntry;
    },
    get model() {
      return state.configuration.model;
    },
    get items() {
      return state.view.items;
    },
    setTime,
    async configure(configuration) {
      const payload = changeConfiguration(state.view.configuration, configuration);
      if (payload !== undefined) await state.append([toDraft("configuration", payload)]);
    },
    async append(content) {
      const contents = toContents(content);
      const drafts = contents.map((one) => ("role" in one ? toDraft("message", one) : toDraft("attachment", one)));
      const entries = await state.append(drafts);
      return entries.map((entry, index) => ({ entry, content: contents[index]! }));
    },
    async appendInherited(message) {
      const [entry] = await state.append([toDraft("message", message)]);
      return entry!;
    },
    async appendResponse(response) {
      setTime(response.sentAtMs);
      const { request, answer } = await responseDrafts(state, response);
      const [answers] = await state.append([request]);
      setTime(response.atMs);
      const [entry] = await state.append(answer(answers!));
      return response.message.blocks.length === 0 ? undefined : entry;
    },
    async enterUsage(usage) {
      setTime(usage.atMs);
      await state.append([usageDraft(state.view, usage)]);
    },
    async replace(...payloads) {
      if (payloads.length > 0) await state.append(payloads.map((payload) => toDraft("replace", payload)));
    },
    async fold(payload) {
      await fold(parts(), payload);
    },
    rewind: (to, reason) => rewind(parts(), to, reason),
    async flush() {
      const flushed = await writer.flush();
      if (flushed.kind !== "appended") throw new SessionLostError(id, "another writer has taken it over");
      return state.newestEntry;
    },
    close: () => state.close(),
  };
  return { kind: "opened", recorder };
}

/**
 * Writes a session that took place in another program, with its original times. The result is a session like any other.
 * Many entries are written at a time. A process that dies leaves only a part of them, so record the session again then.
 */
export interface SessionRecorder {
  readonly id: string;
  readonly newestEntry: number;
  /** The model that is configured now. */
  readonly model: string;
  /** The items that the model would see now. */
  readonly items: readonly Item[];
  /** Sets the time of the next entries. */
  setTime(atMs: number): void;
  /** Writes the configuration of another agent. A session that continues from here has its own configuration. */
  configure(wanted: PastConfiguration): Promise<void>;
  append(content: NewContent): Promise<readonly RecordedContent[]>;
  /**
   * Writes a model message without a request: a message that was copied from another session and paid for there.
   */
  appendInherited(message: MessagePayload): Promise<number>;
  /**
   * Writes a request, its answer and its usage. Resolves to the entry of the answer, or to undefined if the answer has
   * no content.
   */
  appendResponse(response: PastResponse): Promise<number | undefined>;
  /** Writes the usage of a call outside the conversation. */
  enterUsage(usage: PastUsage): Promise<void>;
  replace(...decisions: readonly ReplacePayload[]): Promise<void>;
  fold(payload: ReplacePayload): Promise<void>;
  rewind(to: number, reason: string): Promise<void>;
  /** Writes the buffered entries. Resolves to the number of entries when the store has all of them. */
  flush(): Promise<number>;
  close(): Promise<void>;
}

/** The configuration of another agent. */
interface PastConfiguration {
  readonly model: string;
  readonly provider: string;
  readonly provenance: Provenance;
  /** @default none */
  readonly system?: string;
}

/** The number of a written entry, with its content. */
interface RecordedContent {
  readonly entry: number;
  readonly content: Exclude<NewContent, string>;
}

/** A response of the model, with the data of its request. */
interface PastResponse {
  readonly sentAtMs: number;
  readonly atMs: number;
  /** If the message has no blocks, only its usage is written. */
  readonly message: MessagePayload;
  /** @default no usage was recorded */
  readonly usage?: PastTokens;
  readonly model: string;
  readonly known: KnownModel;
  readonly cacheTtl: CacheTtl;
}

/** The recorded token counts of one response. */
export interface PastTokens extends UsageTokens {
  /** `provisional`: the count was reported before the response ended, so an estimate from the content replaces it. */
  readonly outputCount: "final" | "provisional";
}

/** The usage of a call outside the conversation. */
interface PastUsage {
  readonly atMs: number;
  readonly tokens: PastTokens;
  readonly model: string;
  readonly known: KnownModel;
  /** The source in the ledger. */
  readonly source: string;
}

interface BufferedWriter extends LogWriter {
  /** Writes the buffered entries. */
  flush(): Promise<AppendResult>;
}

/**
 * Creates a writer that buffers entries and writes many at once. Use it for entries that can be written again if the
 * process dies.
 */
export async function createBufferedWriter(writer: LogWriter): Promise<BufferedWriter> {
  let pending: Entry[] = [];
  let characters = 0;
  let head = await writer.head();

  async function flush(): Promise<AppendResult> {
    if (pending.length === 0) return { kind: "appended", head };
    const result = await writer.append(pending);
    if (result.kind === "appended") {
      pending = [];
      characters = 0;
    }
    return result;
  }
  /** The number of the first buffered entry. */
  const firstPending = (): number => head.sequence - pending.length + 1;

  const buffered: BufferedWriter = {
    fence: writer.fence,
    ...(writer.digest && { digest: writer.digest }),
    ...(writer.digests && { digests: writer.digests }),
    head: async () => head,
    async read(from, to) {
      const written = from < firstPending() ? await writer.read(from, Math.min(to, firstPending() - 1)) : [];
      return [...written, ...pending.filter(({ sequence }) => sequence >= from && sequence <= to)];
    },
    async newest(kind, below = Number.POSITIVE_INFINITY) {
      const found = pending.findLast((entry) => entry.kind === kind && entry.sequence < below);
      return found ?? writer.newest(kind, below);
    },
    readBatch: (options) => collectBatch(buffered, options),
    async search(query, options) {
      await flush();
      return writer.search(query, options);
    },
    async append(entries) {
      const newest = entries.at(-1);
      if (newest === undefined) return { kind: "appended", head };
      if (entries[0]!.sequence !== head.sequence + 1) return { kind: "out-of-order", head };
      pending.push(...entries);
      head = newest;
      for (const { payload = "" } of entries) characters += payload.length;
      return pending.length >= MAX_ENTRIES || characters >= MAX_CHARACTERS ? flush() : { kind: "appended", head };
    },
    async erase(sequence) {
      await flush();
      return writer.erase(sequence);
    },
    flush,
    async close() {
      await flush();
      await writer.close();
    },
  };
  return buffered;
}

interface ResponseDrafts {
  readonly request: Draft;
  /** @param answers the entry of the request */
  answer(answers: number): readonly Draft[];
}

async function responseDrafts(state: SessionState, response: PastResponse): Promise<ResponseDrafts> {
  const { message, usage, model, known, cacheTtl } = response;
  const { log, view, ledger, configuration } = state;
  const { provider, facts, cacheEffects } = known;
  const { cache } = await describeNextRequest({
    log,
    view,
    ledger,
    configuration,
    facts,
    cacheTtl,
    asked: {},
    provider: { name: provider, cacheEffects },
  });
  const { maxOutputTokens: maxTokens } = facts;
  return {
    request: toDraft("request", { maxTokens, estimatedTokens: sizeTokens(view), cacheTtl, cache }),
    answer: (answers) => [
      ...(message.blocks.length === 0 ? [] : [toDraft("message", { ...message, answers })]),
      ...(usage === undefined
        ? []
        : [toDraft("usage", { ...toUsage(state.view, usage, message.blocks), model, answers })]),
    ],
  };
}

export function usageDraft(view: View, { atMs, tokens, model, known, source }: PastUsage): Draft {
  const { prices } = known.facts;
  const about = { source, madeAtMs: atMs, prices };
  return toDraft("usage", { ...toUsage(view, tokens, []), model, ...about });
}

function toUsage(view: View, { outputCount, ...tokens }: PastTokens, blocks: readonly Block[]) {
  const features = blocks.reduce((sum, block) => addFeatures(sum, featuresOf(block)), NO_FEATURES);
  const estimate = outputCount === "final" ? 0 : estimateTokens(view.calibration, features);
  return wholeTokens({ ...tokens, outputTokens: Math.max(tokens.outputTokens, estimate) });
}

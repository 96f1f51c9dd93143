// Calls models for a summary: tries, deadlines, and the number of calls.

import { type Watched, watchCall } from "../../clock.ts";
import { priceUsd } from "../../cost/ledger.ts";
import { type Answer, type Forks, sendStandalone } from "../../forks/forks.ts";
import { ProviderError, type ProviderFailure, type ResponseContent } from "../../providers/provider.ts";

import { readStream } from "../../providers/stream.ts";
import type { UsedTokens } from "../../session-event.ts";
import type { COMPACTION_SOURCE, PREPARE_SOURCE } from "../../state/carried.ts";
import type { SessionCore } from "../../state/core.ts";
import { emitSideResponse, enterUsage } from "../../state/responses.ts";

import type { FlatMessage } from "../../view/view.ts";
import type { CallResult, CompactionBlock, ModelCalls, ModelConversation } from "./calls.ts";
import { DIRECT_SYSTEM } from "./forms.ts";

export interface ModelCallsOptions {
  readonly forks: Pick<Forks, "converse">;
  /** The ledger counts the calls under this source. */
  readonly source: typeof COMPACTION_SOURCE | typeof PREPARE_SOURCE;
  readonly signal: AbortSignal;
  /** The request that asks the provider to fold the conversation; undefined if it takes none. */
  readonly compactionRequest: (instructions: string | undefined) => unknown | undefined;
  /** The model of direct calls. */
  readonly model: string;
  readonly maxOutputTokens: number;
  /** How many calls may be made between two messages of the user, tries of the same call among them. */
  readonly maxCalls: number;
  /** How many of them were made before. */
  readonly callsBefore: number;
  /** A call of which nothing is heard for so long counts as dead. */
  readonly stallMs: number;
  /** When the last call must have ended, by the clock: one that says something for ever is given up then. */
  readonly deadlineMs: number;
  /** Is told how much has arrived, and at least every half minute that it still goes on. */
  readonly onProgress: (receivedCharacters: number) => void;
}

export interface Spent {
  readonly calls: number;
  readonly priceUsd: number;
  /** By all answers together; absent if there was none. */
  readonly used?: UsedTokens;
  /** Of the one compaction that it was for. */
  readonly time: "left" | "used-up";
}

/** The limits of all calls for summaries. */
export interface CallLimits {
  /** The maximum number of calls between two messages of the user, with the tries of each. */
  readonly maxCalls: number;
  /** A transcript that is too long for one call is read in at most so many. */
  readonly maxParts: number;
  /** A call that sends nothing for so long is given up. */
  readonly stallMs: number;
  /** All calls of one compaction together. */
  readonly deadlineMs: number;
}

export const CALL_LIMITS: CallLimits = { maxCalls: 8, maxParts: 6, stallMs: 60_000, deadlineMs: 600_000 };

/** As many calls as nobody makes: what was made before, where the time was used up. */
export const ALL_CALLS: number = Number.MAX_SAFE_INTEGER;

/** How often a call is made again whose failure may pass. */
const MORE_TRIES = 2;
/** One may be a lost connection. Whoever waits for a compaction has then waited twice for `stallMs`. */
const MOST_STALLS = 2;
/** A provider that folds sends nothing until it is done, and may read a whole window first: as long as clients wait. */
const FOLD_STALL_MS = 600_000;
const LONGEST_WAIT_MS = 30_000;

/** Calls of models for a summary. This class owns tries, deadlines and the number of calls. */
export class SummaryCalls implements ModelCalls {
  readonly #core: SessionCore;
  readonly #options: ModelCallsOptions;
  #spent: Spent = { calls: 0, priceUsd: 0, time: "left" };
  #receivedCharacters = 0;
  #stalls = 0;

  constructor(core: SessionCore, options: ModelCallsOptions) {
    this.#core = core;
    this.#options = options;
  }

  get spent(): Spent {
    const isLate = this.#core.ports.clock.now() >= this.#options.deadlineMs;
    return { ...this.#spent, time: isLate ? "used-up" : "left" };
  }

  /** A conversation on a fork: the prompt of the session is read from the cache. */
  async fork(signal: AbortSignal = this.#options.signal): Promise<ModelConversation> {
    const { forks, source } = this.#options;
    const conversation = await forks.converse({ source, signal });
    return {
      ask: async (words) => {
        await conversation.ask(words);
        return this.#ask(signal, (own, onData) =>
          conversation.answer({ signal: own, onPart: (part) => onData("text" in part ? part.text : "") }),
        );
      },
      close: () => conversation.close(),
    };
  }

  /** A conversation without the session's prompt: the question holds a transcript. */
  async direct(signal: AbortSignal = this.#options.signal): Promise<ModelConversation> {
    const { model, maxOutputTokens, source } = this.#options;
    const said: FlatMessage[] = [];
    return {
      ask: async (words) => {
        said.push({ role: "user", blocks: [{ kind: "text", text: words }] });
        const called = await this.#ask(signal, (own, onData) =>
          sendStandalone(this.#core, {
            source,
            model,
            system: DIRECT_SYSTEM,
            said,
            signal: own,
            maxOutputTokens,
            onPart: (part) => onData("text" in part ? part.text : ""),
          }),
        );
        const { text } = called.kind === "answer" ? called.answer : { text: "" };
        if (text.trim() !== "") said.push({ role: "assistant", blocks: [{ kind: "text", text }] });
        return called;
      },
      async close() {},
    };
  }

  /** Asks the provider to compact the conversation itself; undefined if it cannot. */
  async provider(instructions: string | undefined): Promise<CallResult<CompactionBlock | undefined> | undefined> {
    const { provider, clock, facts, emit } = this.#core.ports;
    const { source } = this.#options;
    const request = this.#options.compactionRequest(instructions);
    if (request === undefined) return undefined;
    const fold = async (own: AbortSignal, onData: (text: string) => void) => {
      const requestedAtMs = clock.now();
      const response = await readStream(provider.send(request, { signal: own }), () => onData(""));
      const { responseId, model, stop, usage: whole, compaction } = provider.readResponse(response);
      const usage = compaction?.usage ?? whole;
      this.#pay(usage, model);
      await enterUsage(this.#core, { responseId, model, ...usage, source });
      const requestModel = this.#core.state.configuration.model;
      const made = { source, provider: provider.name, requestModel, requestedAtMs };
      emitSideResponse(emit, { ...made, prices: facts.of(model).prices }, { responseId, model, stop, usage });
      return compaction?.block;
    };
    return this.#call(fold, this.#options.signal, FOLD_STALL_MS);
  }

  /** Makes a call, and adds its price to what was spent. */
  async #ask(
    signal: AbortSignal,
    make: (signal: AbortSignal, onData: (text: string) => void) => Promise<Answer>,
  ): Promise<CallResult> {
    const called = await this.#call(make, signal, this.#options.stallMs);
    if (called.kind === "failed") return called;
    const { text, stop, usage, model, refusedCalls } = called.answer;
    this.#pay(usage, model);
    return { kind: "answer", answer: { text, stop, calls: refusedCalls } };
  }

  async #call<Made>(
    make: (signal: AbortSignal, onData: (text: string) => void) => Promise<Made>,
    signal: AbortSignal,
    stallMs: number,
  ): Promise<CallResult<Made>> {
    const { clock } = this.#core.ports;
    const { deadlineMs, onProgress, maxCalls, callsBefore } = this.#options;
    for (let tries = 0; ; tries++) {
      if (callsBefore + this.#spent.calls >= maxCalls) {
        return noCallsLeft(`${whatIsUsedUp(this.#options)} since the user last spoke`);
      }
      if (clock.now() >= deadlineMs) return noCallsLeft("it has taken too long already");
      if (this.#stalls >= MOST_STALLS) {
        return noCallsLeft(`${this.#stalls} calls were silent for ${this.#options.stallMs / 1_000} s each`);
      }
      this.#spent = { ...this.#spent, calls: this.#spent.calls + 1 };
      const watched = await watchCall(
        (own, onData) =>
          make(own, (text) => {
            this.#receivedCharacters += text.length;
            onData();
            onProgress(this.#receivedCharacters);
          }),
        { clock, stallMs, deadlineMs, signal, onAlive: () => onProgress(this.#receivedCharacters) },
      );
      if (watched.kind === "done") return { kind: "answer", answer: watched.result };
      if (watched.kind === "stalled") this.#stalls++;
      const failed = failureOf(watched, stallMs);
      const waitMs = waitBefore(failed.failure, tries);
      if (waitMs === undefined || tries >= MORE_TRIES || this.#stalls >= MOST_STALLS) return failed;
      await clock.wait(waitMs, signal);
    }
  }

  #pay(usage: ResponseContent["usage"], model: string): void {
    const { prices } = this.#core.ports.facts.of(model);
    const price = prices === undefined ? 0 : priceUsd(usage, prices);
    this.#spent = {
      ...this.#spent,
      priceUsd: this.#spent.priceUsd + price,
      used: addUsed(this.#spent.used, usage),
    };
  }
}

function whatIsUsedUp({ callsBefore, maxCalls }: { readonly callsBefore: number; readonly maxCalls: number }): string {
  return callsBefore === ALL_CALLS
    ? "the time for summaries was used up"
    : `all ${maxCalls} calls for summaries were made`;
}

function noCallsLeft(why: string): Failed {
  return { kind: "failed", failure: { kind: "no-calls-left" }, why };
}

function addUsed(sum: UsedTokens | undefined, usage: UsedTokens): UsedTokens {
  return {
    freshTokens: (sum?.freshTokens ?? 0) + usage.freshTokens,
    cacheReadTokens: (sum?.cacheReadTokens ?? 0) + usage.cacheReadTokens,
    cacheWriteTokens: (sum?.cacheWriteTokens ?? 0) + usage.cacheWriteTokens,
    outputTokens: (sum?.outputTokens ?? 0) + usage.outputTokens,
  };
}

type Failed = Extract<CallResult<unknown>, { kind: "failed" }>;

function failureOf(watched: Exclude<Watched<unknown>, { kind: "done" }>, stallMs: number): Failed {
  if (watched.kind === "aborted") return { kind: "failed", failure: { kind: "aborted" }, why: "it was aborted" };
  if (watched.kind === "stalled") {
    return { kind: "failed", failure: { kind: "broken-stream" }, why: `nothing was heard for ${stallMs / 1_000} s` };
  }
  if (watched.kind === "too-late")
    return { kind: "failed", failure: { kind: "no-calls-left" }, why: "it took too long" };
  const { error } = watched;
  if (ProviderError.isInstance(error)) return { kind: "failed", failure: error.failure, why: error.message };
  // Not the provider's doing: a fork whose prompt would not be the same, a store that cannot be written.
  return { kind: "failed", failure: { kind: "refused" }, why: error instanceof Error ? error.message : String(error) };
}

/** How long to wait before another try; undefined if another would fail as well. */
function waitBefore(failure: ProviderFailure | { readonly kind: "no-calls-left" }, tries: number): number | undefined {
  switch (failure.kind) {
    case "broken-stream":
    case "unreachable":
      return 1_000 * 2 ** tries;
    case "overloaded":
    case "rate-limited": {
      const waitMs = failure.retryAfterMs ?? 2_000 * 2 ** tries;
      return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined;
    }
    default:
      return undefined;
  }
}

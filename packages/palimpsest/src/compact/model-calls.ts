import { type Watched, watchCall } from "../clock.ts";
import { priceUsd } from "../cost/prices.ts";
import { type Forks, sendStandalone } from "../forks/forks.ts";
import type { Answer } from "../forks/options.ts";
import { ProviderError, type ProviderFailure, type ResponseContent } from "../providers/provider.ts";

import { readStream } from "../providers/stream.ts";
import type { UsedTokens } from "../session-event.ts";
import { COMPACTION_SOURCE } from "../state/carried.ts";
import type { SessionContext } from "../state/context.ts";
import { createEnterUsage, emitSideResponse } from "../state/responses.ts";

import type { FlatMessage } from "../view/view.ts";
import type { CallResult, CompactionBlock, ModelCalls, ModelConversation } from "./ladder.ts";
import { DIRECT_SYSTEM } from "./summary/prompt.ts";

export interface ModelCallsOptions {
  readonly forks: Pick<Forks<unknown>, "converse">;
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

/** As many calls as nobody makes: what was made before, where the time was used up. */
export const ALL_CALLS: number = Number.MAX_SAFE_INTEGER;

/** How often a call is made again whose failure may pass. */
const MORE_TRIES = 2;
/** One may be a lost connection. Whoever waits for a compaction has then waited twice for `compaction.stallSeconds`. */
const MOST_STALLS = 2;
/** A provider that folds sends nothing until it is done, and may read a whole window first: as long as clients wait. */
const FOLD_STALL_MS = 600_000;
const LONGEST_WAIT_MS = 30_000;

/** The ways to a model, with one owner of tries, deadlines and the budget of calls. */
export function createModelCalls(context: SessionContext, options: ModelCallsOptions): ModelCalls & { spent(): Spent } {
  const { state, provider, factsOf, clock } = context;
  const { forks, signal, deadlineMs } = options;
  const enterUsage = createEnterUsage(state, factsOf);
  let spent: Spent = { calls: 0, priceUsd: 0, time: "left" };
  let receivedCharacters = 0;
  let stalls = 0;

  async function call<Made>(
    make: (signal: AbortSignal, onData: (text: string) => void) => Promise<Made>,
    stallMs = options.stallMs,
  ): Promise<CallResult<Made>> {
    for (let tries = 0; ; tries++) {
      if (options.callsBefore + spent.calls >= options.maxCalls) {
        return noCallsLeft(`${whatIsUsedUp(options)} since the user last spoke`);
      }
      if (clock.now() >= deadlineMs) return noCallsLeft("it has taken too long already");
      if (stalls >= MOST_STALLS) return noCallsLeft(`${stalls} calls have been silent for compaction.stallSeconds`);
      spent = { ...spent, calls: spent.calls + 1 };
      const watched = await watchCall(
        (own, onData) =>
          make(own, (text) => {
            receivedCharacters += text.length;
            onData();
            options.onProgress(receivedCharacters);
          }),
        { clock, stallMs, deadlineMs, signal, onAlive: () => options.onProgress(receivedCharacters) },
      );
      if (watched.kind === "done") return { kind: "answer", answer: watched.result };
      if (watched.kind === "stalled") stalls++;
      const failed = failureOf(watched, stallMs);
      const waitMs = waitBefore(failed.failure, tries);
      if (waitMs === undefined || tries >= MORE_TRIES || stalls >= MOST_STALLS) return failed;
      await clock.wait(waitMs, signal);
    }
  }

  /** What was answered, its price added to what was spent. */
  async function ask(
    make: (signal: AbortSignal, onData: (text: string) => void) => Promise<Answer>,
  ): Promise<CallResult> {
    const called = await call(make);
    if (called.kind === "failed") return called;
    const { text, stop, usage, model, refusedCalls } = called.answer;
    pay(usage, model);
    return { kind: "answer", answer: { text, stop, calls: refusedCalls } };
  }

  function pay(usage: ResponseContent["usage"], model: string): void {
    const { prices } = factsOf(model);
    const price = prices === undefined ? 0 : priceUsd(usage, prices);
    spent = { ...spent, priceUsd: spent.priceUsd + price, used: addUsed(spent.used, usage) };
  }

  async function fork(): Promise<ModelConversation> {
    const conversation = await forks.converse({ source: COMPACTION_SOURCE, signal });
    return {
      async ask(words) {
        await conversation.ask(words);
        return ask((own, onData) =>
          conversation.answer({ signal: own, onPart: (part) => onData("text" in part ? part.text : "") }),
        );
      },
      close: () => conversation.close(),
    };
  }

  async function direct(): Promise<ModelConversation> {
    const said: FlatMessage[] = [];
    return {
      async ask(words) {
        said.push({ role: "user", blocks: [{ kind: "text", text: words }] });
        const called = await ask((own, onData) => send(said, own, onData));
        const { text } = called.kind === "answer" ? called.answer : { text: "" };
        if (text.trim() !== "") said.push({ role: "assistant", blocks: [{ kind: "text", text }] });
        return called;
      },
      async close() {},
    };
  }

  const send = (said: readonly FlatMessage[], own: AbortSignal, onData: (text: string) => void): Promise<Answer> =>
    sendStandalone(context, enterUsage, {
      source: COMPACTION_SOURCE,
      model: options.model,
      system: DIRECT_SYSTEM,
      said,
      signal: own,
      maxOutputTokens: options.maxOutputTokens,
      onPart: (part) => onData("text" in part ? part.text : ""),
    });

  async function compactByProvider(
    instructions: string | undefined,
  ): Promise<CallResult<CompactionBlock | undefined> | undefined> {
    const request = options.compactionRequest(instructions);
    if (request === undefined) return undefined;
    return call(async (own, onData) => {
      const requestedAtMs = clock.now();
      const response = await readStream(provider.send(request, { signal: own }), () => onData(""));
      const { responseId, model, stop, usage: whole, compaction } = provider.readResponse(response);
      const usage = compaction?.usage ?? whole;
      pay(usage, model);
      await enterUsage({ responseId, model, ...usage, source: COMPACTION_SOURCE });
      const asked = { requestModel: state.configuration.model, requestedAtMs, prices: factsOf(model).prices };
      const made = { source: COMPACTION_SOURCE, provider: provider.name, ...asked };
      emitSideResponse(context.emit, made, { responseId, model, stop, usage });
      return compaction?.block;
    }, FOLD_STALL_MS);
  }

  return {
    fork,
    direct,
    provider: compactByProvider,
    spent: () => ({ ...spent, time: clock.now() >= deadlineMs ? "used-up" : "left" }),
  };
}

function whatIsUsedUp({ callsBefore, maxCalls }: { readonly callsBefore: number; readonly maxCalls: number }): string {
  return callsBefore === ALL_CALLS
    ? "the time of compaction.deadlineSeconds was used up"
    : `the ${maxCalls} calls of compaction.maxCalls were made`;
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

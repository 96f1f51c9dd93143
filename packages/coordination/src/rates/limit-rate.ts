import { InvalidOptionError, type Provider, ProviderError } from "palimpsest";
import type { ResponseContent, StreamPart } from "palimpsest/provider-parts";
import { aText, checkOptions, withMethods } from "palimpsest/schema";
import type { DailyTokens } from "../budgets/budgets.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { RateBucket, RateLimit } from "./rate-source.ts";
import type { RateTurn, RateWait } from "./rate-turn.ts";

/** Which limits and budgets the requests of a provider keep to. */
export interface LimitRateOptions {
  readonly limits: RateLimits;
  /** A name for the key of the provider, never the key itself: requests with the same key and model share a limit. */
  readonly key: string;
  /** Whose requests these are. Tenants have their turns in a fair order. */
  readonly tenant: string;
  /**
   * A daily budget: when nothing is left of it, requests are refused. Tokens that cannot be recorded, because the database is away at
   * that moment, are not counted. @default none
   */
  readonly daily?: DailyTokens;
  /** A request that would wait longer fails, with the numbers. @default 300,000 */
  readonly maxWaitMs?: number;
  /** Whether the provider's limit counts tokens that were read from its cache. @default "counted" */
  readonly cacheReads?: "counted" | "free";
}

/** A provider that says "too many requests" without saying for how long. */
const UNTOLD_PAUSE_MS = 1_000;
/** What a request has in tokens before the provider has counted any. */
const FIRST_TOKENS_PER_CHARACTER = 0.25;
/** The share of the newest response in the estimate of the next. */
const LEARNING = 0.3;
/** Failures after which the provider has counted nothing. */
const UNCOUNTED: readonly string[] = [
  "rate-limited",
  "overloaded",
  "overflow",
  "refused",
  "media-refused",
  "unreachable",
];

/**
 * Returns the provider with a limit in front of it: a request waits for its turn before it is sent. While it waits, the stream
 * has `request-waiting` parts. A "too many requests" of the provider makes all requests of the key and model wait.
 */
export function limitRate<Request, Response, Message>(
  provider: Provider<Request, Response, Message>,
  options: LimitRateOptions,
): Provider<Request, Response, Message> {
  checkOptions("limitRate", options, {
    limits: withMethods(["take", "pause"], "the limits: createRateLimits({ limitOf })"),
    key: aText("a name for the key of the provider"),
    tenant: aText("whose requests these are"),
  });
  const { limits, key, tenant, daily, maxWaitMs = 300_000, cacheReads = "counted" } = options;
  let tokensPerCharacter = FIRST_TOKENS_PER_CHARACTER;

  async function* waitForTurn(
    bucket: RateBucket,
    tokens: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<StreamPart, Extract<RateTurn, { kind: "taken" }>> {
    const turns = limits.take({ bucket, tenant, tokens, signal });
    for (;;) {
      const { done, value } = await ask(turns.next());
      if (done === true) {
        if (value.kind === "taken") return value;
        throw new ProviderError(
          provider.name,
          { kind: "aborted" },
          "the call was aborted while it waited for its turn",
        );
      }
      const { waitMs, waitedMs, limit } = value;
      if (waitedMs + waitMs > maxWaitMs) {
        await turns.return({ kind: "aborted" });
        throw tooLong(bucket, value);
      }
      yield { kind: "request-waiting", waitMs, message: `${nameOf(bucket)}: ${usedUp(limit)}` };
    }
  }

  /** A database that restarts is no reason to end a turn: whoever sends tries again, as with a provider that is away. */
  function ask<T>(asked: Promise<T>): Promise<T> {
    return asked.catch((error: unknown) => {
      if (InvalidOptionError.isInstance(error)) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const message = `the rate limits cannot be asked, so nothing was sent: ${why}`;
      throw new ProviderError(provider.name, { kind: "unreachable" }, message, { cause: error });
    });
  }

  function tooLong(bucket: RateBucket, { limit, waitedMs, ...wait }: RateWait): ProviderError {
    const waitMs = Math.ceil(wait.waitMs);
    const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;
    const why = `${nameOf(bucket)}: ${usedUp(limit)}. This request has waited ${seconds(waitedMs)}, its turn comes in ${seconds(waitMs)}`;
    const message = `${why}, and ${seconds(maxWaitMs)} are allowed (maxWaitMs). Try again later, or raise the limit`;
    return new ProviderError(provider.name, { kind: "rate-limited", retryAfterMs: waitMs }, message);
  }

  async function checkBudget(): Promise<void> {
    const left = daily === undefined ? 1 : await ask(daily.leftTokens());
    if (left > 0) return;
    const message = `the daily budget of ${tenant} is used up (${left} tokens left). It begins anew at midnight UTC; raise it, or wait`;
    throw new ProviderError(provider.name, { kind: "refused" }, message);
  }

  function countTokens({
    freshTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
  }: ResponseContent["usage"]): number {
    return freshTokens + cacheWriteTokens + outputTokens + (cacheReads === "free" ? 0 : cacheReadTokens);
  }

  async function learn(bucket: RateBucket, error: unknown, turn: Extract<RateTurn, { kind: "taken" }>): Promise<void> {
    if (!ProviderError.isInstance(error)) return;
    const { failure } = error;
    if (UNCOUNTED.includes(failure.kind)) turn.settle(0);
    const retryAfterMs = "retryAfterMs" in failure ? failure.retryAfterMs : undefined;
    const pauseMs = retryAfterMs ?? (failure.kind === "rate-limited" ? UNTOLD_PAUSE_MS : 0);
    // The provider's own refusal says more than that the others could not be told of it.
    if (pauseMs > 0) await limits.pause(bucket, pauseMs).catch(() => undefined);
  }

  return {
    ...provider,
    async *send(request, sending) {
      await checkBudget();
      const bucket = { key, model: modelOf(request) ?? provider.name };
      const characters = JSON.stringify(request).length;
      const turn = yield* waitForTurn(bucket, Math.ceil(characters * tokensPerCharacter), sending?.signal);
      let response: Response;
      try {
        response = yield* provider.send(request, sending);
      } catch (error) {
        await learn(bucket, error, turn);
        throw error;
      }
      const usedTokens = countTokens(provider.readResponse(response).usage);
      turn.settle(usedTokens);
      tokensPerCharacter += (usedTokens / characters - tokensPerCharacter) * LEARNING;
      // A response that was paid for is not thrown away because its tokens cannot be recorded.
      await daily?.spend(usedTokens).catch(() => undefined);
      return response;
    },
  };
}

/** All requests of our providers name their model. */
function modelOf(request: unknown): string | undefined {
  const named = request as { readonly model?: unknown } | null;
  return typeof named?.model === "string" ? named.model : undefined;
}

function nameOf({ key, model }: RateBucket): string {
  return `${model} with the key ${key}`;
}

/** Says that a limit is used up. Without a limit of ours, the provider has asked for a pause. */
function usedUp({ requestsPerMinute, tokensPerMinute }: RateLimit): string {
  const count = (number: number | undefined, noun: string) =>
    number === undefined ? [] : `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const parts = [count(requestsPerMinute, "request"), count(tokensPerMinute, "token")].flat();
  const limit = parts.length === 0 ? "the provider's limit" : `the limit of ${parts.join(" and ")} a minute`;
  return `${limit} is used up`;
}

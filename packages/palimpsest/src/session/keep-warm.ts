// Keeps the newest prompt in the provider's cache while a session pauses.

import { costsOf, KEEP_WARM, priceUsd } from "../cost/ledger.ts";
import type { ModelPrices } from "../log/cause.ts";
import { toDraft } from "../log/entry.ts";
import { pingObstacle } from "../policy/guard.ts";
import type { Pause, PauseActivity } from "../policy/policy.ts";
import { pingDueAtMs } from "../policy/rules/keep-warm.ts";
import { ProviderError } from "../providers/provider.ts";
import { readStream } from "../providers/stream.ts";
import type { SessionCore } from "../state/core.ts";
import { emitSideResponse, wholeTokens } from "../state/responses.ts";

export interface KeepWarmOptions {
  /** The reason for the pause. It determines how likely the session continues, and so how many pings pay off. */
  readonly activity: PauseActivity;
  /** Abort it when the pause is over. @default the pause ends with the next request */
  readonly signal?: AbortSignal;
}

/** The outcome of keeping a prompt warm. */
export interface KeptWarm {
  /** The number of pings in this pause. */
  readonly pings: number;
  readonly priceUsd: number;
  /** `decided`: another ping does not pay, is not allowed, or cannot be made. `superseded`: the session continued. */
  readonly ended: "decided" | "aborted" | "superseded" | "failed";
  readonly because: string;
}

interface PingPlan {
  readonly ping: unknown;
  readonly dueAtMs: number;
}

interface SentPing {
  readonly priceUsd: number;
  /** What the next request costs more if the cache has expired. */
  readonly avoidsUsd: number;
}

interface CurrentPause {
  readonly request: unknown;
  readonly entry: number;
  pings: number;
  priceUsd: number;
}

/**
 * Sends the newest request again during a pause, without asking for an answer, so that its prompt stays in the cache.
 */
export class KeepWarm {
  readonly #core: SessionCore;
  #pause: CurrentPause | undefined;
  /** Pings since the session was opened. */
  readonly #sent: Record<PauseActivity, number> = { "tool-runs": 0, waiting: 0 };
  /** Ends the current call of `keepWarm`. */
  #running: AbortController | undefined;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Starts a new pause after a request was issued: its prompt is the one to keep warm. */
  begin(request: unknown, entry: number): void {
    this.#running?.abort();
    this.#pause = { request, entry, pings: 0, priceUsd: 0 };
    const { pings, provider } = this.#core.ports;
    pings.sendable = provider.renderPing?.(request) !== undefined;
  }

  stop(): void {
    this.#running?.abort();
    this.#pause = undefined;
  }

  async keepWarm({ activity, signal }: KeepWarmOptions): Promise<KeptWarm> {
    const { clock, emit } = this.#core.ports;
    this.#running?.abort();
    const own = new AbortController();
    this.#running = own;
    const pause = this.#pause;
    const end = (ended: KeptWarm["ended"], because: string): KeptWarm => ({
      pings: pause?.pings ?? 0,
      priceUsd: pause?.priceUsd ?? 0,
      ended,
      because,
    });
    const over = signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]);
    for (;;) {
      if (signal?.aborted) return end("aborted", "the signal was aborted");
      if (own.signal.aborted) return end("superseded", "the session continued");
      // Plan again after each wait, because the session may have changed.
      const plan = this.#planNext(activity);
      if (typeof plan === "string") return end("decided", plan);
      const waitMs = plan.dueAtMs - clock.now();
      if (waitMs > 0) {
        await clock.wait(waitMs, over);
        continue;
      }
      try {
        // The next request does not abort a ping: the ping is billed, so its usage is recorded.
        const sent = await this.#send(plan.ping, signal);
        if (sent === undefined) return end("failed", this.#refuse("the ping read and wrote nothing in the cache"));
        pause!.pings++;
        pause!.priceUsd += sent.priceUsd;
        const { pings, priceUsd: pausePriceUsd } = pause!;
        const allPings = ++this.#sent[activity];
        emit({ kind: "cache-warmed", activity, pings, allPings, ...sent, pausePriceUsd });
      } catch (error) {
        if (!ProviderError.isInstance(error)) throw error;
        if (signal?.aborted) continue;
        const { kind } = error.failure;
        return end("failed", kind === "refused" ? this.#refuse(error.message) : error.message);
      }
    }
  }

  /** Remembers that the provider accepts no pings. Returns the reason. */
  #refuse(because: string): string {
    this.#core.ports.pings.refusal.because ??= because;
    return because;
  }

  /** Plans the next ping and its time. Returns the reason instead if a ping is not possible. */
  #planNext(activity: PauseActivity): PingPlan | string {
    const { state, policy, ports } = this.#core;
    const rule = policy.current.cache.keepWarm;
    const { previous, rhythm } = state.ledger.sources["main"] ?? {};
    const pause = this.#pause;
    if (rule === undefined) return "the policy has no pings";
    if (pause === undefined) return "this process has not sent a request yet";
    if (previous === undefined || rhythm === undefined || previous.request !== pause.entry) {
      return "the newest request has no answer yet";
    }
    const hasMoved = state.ledger.pending.some(({ from = 0 }) => from <= previous.request);
    if (hasMoved || state.configuration.entry !== previous.configuration) return "the prompt has changed since";
    const { because: refused } = ports.pings.refusal;
    if (refused !== undefined) return `the provider accepts no pings: ${refused}`;
    const ping = ports.provider.renderPing?.(pause.request);
    if (ping === undefined) return `${ports.provider.name} cannot render a ping`;
    const { lifetimeMs } = previous;
    const prefixTokens = previous.cacheReadTokens + previous.cacheWriteTokens;
    const nowMs = ports.clock.now();
    const asked: Pause = {
      activity,
      sinceMs: rhythm.atMs,
      refreshedAtMs: previous.atMs,
      lifetimeMs,
      prefixTokens,
      costs: costsOf(this.#pricesNow(), { lifetimeMs, inputTokens: prefixTokens + previous.freshTokens }),
      pings: pause.pings,
      spentUsd: pause.priceUsd,
      nowMs,
    };
    if (prefixTokens === 0) return "the cache is empty";
    if (nowMs >= previous.atMs + lifetimeMs) return "the cache has expired";
    const { value: obstacle, failure } = pingObstacle(rule, asked, policy);
    policy.countCall("cache", failure);
    return obstacle ?? { ping, dueAtMs: pingDueAtMs(asked) };
  }

  /**
   * Sends a ping and records its usage. Resolves to its price and to what it avoids, or to undefined if it read and wrote nothing in
   * the cache.
   */
  async #send(ping: unknown, signal: AbortSignal | undefined): Promise<SentPing | undefined> {
    const { state, ports } = this.#core;
    const { provider, clock, emit } = ports;
    const { entry } = this.#pause!;
    const prices = this.#pricesNow();
    const madeAtMs = clock.now();
    const response = await readStream(provider.send(ping, signal === undefined ? {} : { signal }));
    const { responseId, model, stop, usage: reported } = provider.readResponse(response);
    const usage = wholeTokens(reported);
    const payload = { responseId, model, ...usage, answers: entry, source: KEEP_WARM, madeAtMs, prices };
    await state.inOrder(() => state.append([toDraft("usage", payload)]));
    const requestModel = state.configuration.model;
    const call = { source: KEEP_WARM, provider: provider.name, requestModel, requestedAtMs: madeAtMs, prices };
    emitSideResponse(emit, call, { responseId, model, stop, usage });
    const prefixTokens = usage.cacheReadTokens + usage.cacheWriteTokens;
    if (prefixTokens === 0) return undefined;
    const { lifetimeMs } = state.ledger.sources["main"]?.previous ?? {};
    const { read, write, usdPerUnit = 0 } = costsOf(prices, { lifetimeMs, inputTokens: prefixTokens });
    return {
      priceUsd: prices === undefined ? 0 : priceUsd(usage, prices),
      avoidsUsd: prefixTokens * (write - read) * usdPerUnit,
    };
  }

  #pricesNow(): ModelPrices | undefined {
    return this.#core.ports.facts.of(this.#core.state.configuration.model).prices;
  }
}

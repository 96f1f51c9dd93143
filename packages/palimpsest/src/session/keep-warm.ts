// Keeps the newest prompt in the provider's cache while a session pauses.

import { costsOf, KEEP_WARM, priceUsd, type TokenCosts } from "../cost/ledger.ts";
import type { ModelPrices } from "../log/cause.ts";
import { toDraft } from "../log/entry.ts";
import type { KeepWarmNumbers } from "../policy/policy.ts";
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
  /** Ends the current call of `keepWarm`. */
  #running: AbortController | undefined;

  constructor(core: SessionCore) {
    this.#core = core;
  }

  /** Starts a new pause after a request was issued: its prompt is the one to keep warm. */
  begin(request: unknown, entry: number): void {
    this.#running?.abort();
    this.#pause = { request, entry, pings: 0, priceUsd: 0 };
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
    if (this.#core.policy.current.cache.keepWarm === undefined) return end("decided", "the policy has no pings");
    const over = signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]);
    for (;;) {
      if (signal?.aborted) return end("aborted", "the signal was aborted");
      if (own.signal.aborted) return end("superseded", "the session continued");
      // Plan again after each wait, because the session may have changed.
      const plan = this.#planNext(activity);
      if (typeof plan === "string") return end("decided", plan);
      if (plan.obstacle !== undefined) return end("decided", plan.obstacle);
      const waitMs = plan.dueAtMs - clock.now();
      if (waitMs > 0) {
        await clock.wait(waitMs, over);
        continue;
      }
      try {
        // The next request does not abort a ping: the ping is billed, so its usage is recorded.
        const spentUsd = await this.#send(plan.ping, signal);
        if (spentUsd === undefined) return end("failed", "the ping read and wrote nothing in the cache");
        pause!.pings++;
        pause!.priceUsd += spentUsd;
        const { pings, priceUsd: pausePriceUsd } = pause!;
        emit({ kind: "cache-warmed", activity, pings, priceUsd: spentUsd, pausePriceUsd });
      } catch (error) {
        if (!ProviderError.isInstance(error)) throw error;
        if (!signal?.aborted) return end("failed", error.message);
      }
    }
  }

  /** Plans the next ping and its time. Returns the reason instead if a ping is not possible. */
  #planNext(activity: PauseActivity): (PingPlan & { readonly ping: unknown }) | string {
    const { state, policy, ports } = this.#core;
    const limits = policy.current.cache.keepWarm ?? NO_PINGS;
    const { previous, rhythm } = state.ledger.sources["main"] ?? {};
    const pause = this.#pause;
    if (pause === undefined) return "this process has not sent a request yet";
    if (previous === undefined || rhythm === undefined || previous.request !== pause.entry) {
      return "the newest request has no answer yet";
    }
    const hasMoved = state.ledger.pending.some(({ from = 0 }) => from <= previous.request);
    if (hasMoved || state.configuration.entry !== previous.configuration) return "the prompt has changed since";
    const ping = ports.provider.renderPing?.(pause.request);
    if (ping === undefined) return `${ports.provider.name} cannot render a ping`;
    const { lifetimeMs } = previous;
    const prefixTokens = previous.cacheReadTokens + previous.cacheWriteTokens;
    const plan = planPing(
      {
        activity,
        sinceMs: rhythm.atMs,
        refreshedAtMs: previous.atMs,
        lifetimeMs,
        prefixTokens,
        costs: costsOf(this.#pricesNow(), { lifetimeMs, inputTokens: prefixTokens + previous.freshTokens }),
        pings: pause.pings,
        spentUsd: pause.priceUsd,
        nowMs: ports.clock.now(),
      },
      {
        pings: activity === "tool-runs" ? limits.whileToolRuns : limits.whileWaiting,
        capUsd: limits.capUsd,
      },
    );
    return { ...plan, ping };
  }

  /**
   * Sends a ping and records its usage. Resolves to its price, or to undefined if it read and wrote nothing in the
   * cache.
   */
  async #send(ping: unknown, signal: AbortSignal | undefined): Promise<number | undefined> {
    const { state, ports } = this.#core;
    const { provider, clock, emit } = ports;
    const { entry } = this.#pause!;
    const prices = this.#pricesNow()!;
    const madeAtMs = clock.now();
    const response = await readStream(provider.send(ping, signal === undefined ? {} : { signal }));
    const { responseId, model, stop, usage: reported } = provider.readResponse(response);
    const usage = wholeTokens(reported);
    const payload = { responseId, model, ...usage, answers: entry, source: KEEP_WARM, madeAtMs, prices };
    await state.inOrder(() => state.append([toDraft("usage", payload)]));
    const requestModel = state.configuration.model;
    const call = { source: KEEP_WARM, provider: provider.name, requestModel, requestedAtMs: madeAtMs, prices };
    emitSideResponse(emit, call, { responseId, model, stop, usage });
    return usage.cacheReadTokens + usage.cacheWriteTokens === 0 ? undefined : priceUsd(usage, prices);
  }

  #pricesNow(): ModelPrices | undefined {
    return this.#core.ports.facts.of(this.#core.state.configuration.model).prices;
  }
}

/** The reason for a pause. A running tool will finish; a person may not return. */
export type PauseActivity = "tool-runs" | "waiting";

export interface Pause {
  readonly activity: PauseActivity;
  /** The time of the newest request. */
  readonly sinceMs: number;
  /** When the prompt was last read or written, by the newest request or by a ping. */
  readonly refreshedAtMs: number;
  readonly lifetimeMs: number;
  readonly prefixTokens: number;
  readonly costs: TokenCosts;
  /** Pings sent in this pause, and their cost. */
  readonly pings: number;
  readonly spentUsd: number;
  readonly nowMs: number;
}

export interface PingLimits {
  readonly pings: number;
  readonly capUsd: number;
}

interface PingPlan {
  readonly dueAtMs: number;
  /** Why no ping is sent; undefined if a ping pays. */
  readonly obstacle: string | undefined;
}

const NO_PINGS: KeepWarmNumbers = { whileToolRuns: 0, whileWaiting: 0, capUsd: 0 };

/**
 * Pings are sent this long before the cache expires, so that the call arrives in time. Lifetimes are exact and count
 * from request to request.
 */
const MARGIN_MS = 30_000;
const MARGIN_SHARE = 1 / 10;

/** Plans when to send a ping, and whether it saves money. */
export function planPing(pause: Pause, limits: PingLimits): PingPlan {
  const { activity, sinceMs, refreshedAtMs, lifetimeMs, prefixTokens, costs } = pause;
  const coldAtMs = refreshedAtMs + lifetimeMs;
  const dueAtMs = coldAtMs - Math.min(MARGIN_MS, lifetimeMs * MARGIN_SHARE);
  const chance = chanceOfReturn(activity, coldAtMs - sinceMs, dueAtMs + lifetimeMs - sinceMs);
  const cost = prefixTokens * costs.read;
  const gain = chance * prefixTokens * (costs.write - costs.read);
  const returns = `the next request comes in time with a probability of ${Math.round(100 * chance)}%`;
  const doesNotPay = gain > cost ? undefined : `a ping does not pay: ${returns}`;
  return { dueAtMs, obstacle: whyNot(pause, limits, coldAtMs) ?? doesNotPay };
}

function whyNot(pause: Pause, limits: PingLimits, coldAtMs: number): string | undefined {
  const { prefixTokens, costs, pings, spentUsd, nowMs } = pause;
  if (prefixTokens === 0) return "the cache is empty";
  if (nowMs >= coldAtMs) return "the cache has expired";
  if (pings >= limits.pings) return `${pings} of at most ${limits.pings} pings were sent`;
  if (costs.usdPerUnit === undefined) return "the model's prices are unknown, so the cost cannot be limited";
  const nextUsd = spentUsd + prefixTokens * costs.read * costs.usdPerUnit;
  const isWithin = nextUsd <= limits.capUsd;
  return isWithin
    ? undefined
    : `another ping would raise the cost to $${nextUsd.toFixed(4)}, above the limit of $${limits.capUsd}`;
}

/**
 * The distribution of pauses. Of 671 recorded pauses above five minutes, the share that still goes on after t follows
 * (5 min / t) ^ 0.67 closely (48% after 15 minutes, 19% after 60, 10% after 145). When a tool ran, 9% of the pauses
 * lasted more than an hour. When the user was away, 23% did, and a quarter of these pauses was the end of the session.
 */
const RETURNS: Readonly<Record<PauseActivity, { readonly share: number; readonly exponent: number }>> = {
  "tool-runs": { share: 1, exponent: 0.98 },
  waiting: { share: 0.75, exponent: 0.59 },
};
const SHORTEST_MS = 300_000;

/** Returns the probability that the next request comes between two times of a pause, if it has not come before. */
function chanceOfReturn(activity: PauseActivity, fromMs: number, toMs: number): number {
  const { share, exponent } = RETURNS[activity];
  const away = (afterMs: number): number => share * (SHORTEST_MS / Math.max(SHORTEST_MS, afterMs)) ** exponent;
  return (away(fromMs) - away(toMs)) / (away(fromMs) + 1 - share);
}

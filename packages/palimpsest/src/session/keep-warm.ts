import { costsOf } from "../cache/token-costs.ts";
import { KEEP_WARM } from "../cost/ledger.ts";
import { priceUsd } from "../cost/prices.ts";
import type { ModelPrices } from "../log/prices.ts";
import { toDraft } from "../log/to-draft.ts";
import { decide } from "../policy/decide.ts";
import { ProviderError } from "../providers/provider-error.ts";
import { readStream } from "../providers/read-stream.ts";
import { type PauseActivity, type PingPlan, planPing } from "../stages/plan-ping.ts";
import type { SessionContext } from "../state/context.ts";
import { emitSideResponse } from "./emit-side-response.ts";
import type { KeepWarmOptions, KeptWarm } from "./keep-warm-options.ts";
import { wholeTokens } from "./whole-tokens.ts";

export interface KeepWarm<Request> {
  /** A request is handed out: the pause before it is over, and what is to be kept warm from now on is its prompt. */
  begin(request: Request, entry: number): void;
  keepWarm(options: KeepWarmOptions): Promise<KeptWarm>;
  stop(): void;
}

interface CurrentPause<Request> {
  readonly request: Request;
  readonly entry: number;
  pings: number;
  priceUsd: number;
}

/** Pings while a session pauses: its newest request once more, without an answer, shortly before the cache forgets it. */
export function createKeepWarm<Request, Response, Message>(
  context: SessionContext<Request, Response, Message>,
): KeepWarm<Request> {
  const { state, provider, factsOf, settings, clock, emit } = context;
  let pause: CurrentPause<Request> | undefined;
  let running: AbortController | undefined;

  const pricesNow = (): ModelPrices | undefined => factsOf(state.configuration.model).prices;

  /** What would be sent, and when; in words why nothing can be. */
  function planNext(activity: PauseActivity): (PingPlan & { readonly ping: Request }) | string {
    const { previous, rhythm } = state.ledger.sources["main"] ?? {};
    if (pause === undefined) return "no request was made here yet";
    if (previous === undefined || rhythm === undefined || previous.request !== pause.entry) {
      return "the newest request was not answered yet";
    }
    const hasMoved = state.ledger.pending.some(({ from = 0 }) => from <= previous.request);
    if (hasMoved || state.configuration.entry !== previous.configuration) return "the prompt has changed since";
    const ping = provider.renderPing?.(pause.request);
    if (ping === undefined) return `${provider.name} has no request without an answer for it`;
    const { atMs: refreshedAtMs, lifetimeMs } = previous;
    const prefixTokens = previous.cacheReadTokens + previous.cacheWriteTokens;
    const costs = costsOf(pricesNow(), { lifetimeMs, inputTokens: prefixTokens + previous.freshTokens });
    const { pings, priceUsd: spentUsd } = pause;
    const limits = {
      pings: settings()[activity === "tool-runs" ? "keepWarm.whileToolRuns" : "keepWarm.whileWaiting"],
      capUsd: settings()["keepWarm.capUsd"],
    };
    const plan = planPing(
      {
        activity,
        sinceMs: rhythm.atMs,
        refreshedAtMs,
        lifetimeMs,
        prefixTokens,
        costs,
        pings,
        spentUsd,
        nowMs: clock.now(),
      },
      limits,
    );
    return { ...plan, ping };
  }

  /** Sends it and writes down what it used; undefined if it touched nothing in the cache. */
  async function send(ping: Request, signal: AbortSignal | undefined): Promise<number | undefined> {
    const { entry } = pause!;
    const prices = pricesNow()!;
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

  async function keepWarm({ activity, signal }: KeepWarmOptions): Promise<KeptWarm> {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const kept = pause;
    const end = (ended: KeptWarm["ended"], because: string): KeptWarm => ({
      pings: kept?.pings ?? 0,
      priceUsd: kept?.priceUsd ?? 0,
      ended,
      because,
    });
    if (settings()["keepWarm.enabled"] === "off") return end("decided", "keepWarm.enabled is off");
    const over = signal === undefined ? mine.signal : AbortSignal.any([signal, mine.signal]);
    for (;;) {
      if (signal?.aborted) return end("aborted", "the signal was aborted");
      if (mine.signal.aborted) return end("superseded", "the session went on");
      // Planned again after each wait: the session may have changed meanwhile.
      const plan = planNext(activity);
      if (typeof plan === "string") return end("decided", plan);
      const decision = decide([plan.candidate]);
      if (decision.kind === "nothing") return end("decided", decision.reason);
      const waitMs = plan.dueAtMs - clock.now();
      if (waitMs > 0) {
        await clock.wait(waitMs, over);
        continue;
      }
      try {
        // What is under way is not cut off by the next request: it is billed, so it is to be written down.
        const spentUsd = await send(plan.ping, signal);
        if (spentUsd === undefined) return end("failed", "the ping read and wrote nothing in the cache");
        kept!.pings++;
        kept!.priceUsd += spentUsd;
        const { pings, priceUsd: pausePriceUsd } = kept!;
        emit({ kind: "cache-warmed", activity, pings, priceUsd: spentUsd, pausePriceUsd });
      } catch (error) {
        if (!ProviderError.isInstance(error)) throw error;
        if (!signal?.aborted) return end("failed", error.message);
      }
    }
  }

  return {
    begin(request, entry) {
      running?.abort();
      pause = { request, entry, pings: 0, priceUsd: 0 };
    },
    keepWarm,
    stop() {
      running?.abort();
      pause = undefined;
    },
  };
}

import type { Forks } from "../forks/forks.ts";
import type { CompactionFailure, CompactionReason, CompactionTrigger } from "../log/payload-compaction.ts";
import { compactionRequest } from "../session/compact/compaction-request.ts";
import { directOutputTokens, planCalls } from "../session/compact/plan-calls.ts";
import type { Surroundings } from "../session/compact/surroundings.ts";
import { withTimeout } from "../session/compact/with-timeout.ts";
import type { Settings } from "../settings/settings.ts";
import {
  breakerAfter,
  CLOSED,
  ECONOMIC_BREAKER,
  mayTry,
  type Seen,
  WINDOW_BREAKER,
} from "../stages/compact/breaker.ts";
import type { SessionContext } from "../state/context.ts";
import { windowOfModel } from "../state/limits.ts";
import { composeView } from "./compose.ts";
import type { ReadyView } from "./install.ts";
import { type LadderResult, runSummaryLadder } from "./ladder.ts";
import { createModelCalls, type Spent } from "./model-calls.ts";
import type { CompactionPlan } from "./plan.ts";

export interface SummaryCall<_Request, _Response> {
  readonly forks: Pick<Forks<unknown>, "converse">;
  readonly settings: Settings;
  /** Files that the model still sees, with the entries of their reads. */
  readonly filesRead: ReadonlyMap<string, number>;
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  /** What the summary is to pay heed to. */
  readonly instructions: string;
  readonly signal: AbortSignal;
  /** Is told how much of a summary has arrived. */
  readonly onProgress: (receivedCharacters: number) => void;
}

/** A view to be installed, or why there is none. */
export type AskedSummary =
  | { readonly kind: "ready"; readonly ready: ReadyView }
  | { readonly kind: "none"; readonly failure: CompactionFailure; readonly why: string; readonly spent: Spent }
  | { readonly kind: "aborted"; readonly spent: Spent };

/**
 * Asks models for a summary, from the cheapest way on. If none gives one, the conversation is compacted without one; but not
 * where the compaction only saves money: nothing is worth losing content then.
 */
export async function askForSummary<Request, Response, Message>(
  plan: CompactionPlan,
  context: SessionContext<Request, Response, Message>,
  call: SummaryCall<Request, Response>,
): Promise<AskedSummary> {
  const { session, options, provider, factsOf, clock } = context;
  const { forks, settings: held, signal, trigger, instructions, onProgress } = call;
  const isEconomic = call.reason === "economic";
  const { carriedState, newestEntry, configuration, budget } = plan.snapshot;
  const model = held["compaction.model"] || configuration.model;
  const windowTokens =
    model === configuration.model
      ? budget.windowTokens
      : windowOfModel(model, factsOf(model), { settings: held }).tokens;
  const modelCalls = createModelCalls(context, {
    forks,
    signal,
    model,
    maxOutputTokens: directOutputTokens(held, windowTokens),
    compactionRequest: (told) =>
      compactionRequest(provider, {
        session,
        snapshot: plan.snapshot,
        range: plan.range,
        instructions: told,
        rules: {
          provider: provider.name,
          thinking: factsOf(configuration.model).thinking,
          toolSearch: provider.toolSearch?.(configuration.model) ?? "own",
        },
        maxOutputTokens: directOutputTokens(held, windowTokens),
      }),
    maxCalls: held["compaction.maxCalls"],
    callsBefore: carriedState.calls,
    stallMs: held["compaction.stallSeconds"] * 1_000,
    deadlineMs: clock.now() + held["compaction.deadlineSeconds"] * 1_000,
    onProgress,
  });
  const host = remembering(withTimeout(options.surroundings ?? {}, { clock, signal }));
  const { cleanText } = options;
  const composing = { settings: held, surroundings: host, filesRead: call.filesRead, cleanText };
  const seen: Seen = { nowMs: clock.now(), userMessages: carriedState.userMessages, viewChangedAt: newestEntry };
  const ladderResult = await askModels();
  if (ladderResult.ended === "aborted") return { kind: "aborted", spent: modelCalls.spent() };
  const { summary } = ladderResult;
  const whole = summary && (await composeView(summary, plan, composing));
  if (whole !== undefined) {
    const { declined } = ladderResult;
    const spent = modelCalls.spent();
    return { kind: "ready", ready: { view: whole, rung: summary!.rung, declined, breaker: CLOSED, spent } };
  }
  const late = summary && { rung: summary.rung, why: "with it, the view would not be smaller by enough" };
  const declined = [...ladderResult.declined, ...(late === undefined ? [] : [late])];
  const spent = modelCalls.spent();
  const failure = ladderResult.failure ?? (late === undefined ? "too-large" : "no-summary");
  if (isEconomic) {
    const why =
      declined.map((one) => `${one.rung}: ${one.why}`).join("; ") || "what stays leaves no room for a summary";
    return { kind: "none", failure, why, spent };
  }
  const view = await composeView(undefined, plan, composing);
  if (view === undefined)
    return { kind: "none", failure: "too-large", why: "without a summary it is too large, too", spent };
  const breaker = spent.calls > 0 ? breakerAfter(carriedState.breaker, { kind: "failed", seen }) : carriedState.breaker;
  return { kind: "ready", ready: { view, rung: "digest", declined, breaker, spent, withoutSummary: failure } };

  async function askModels(): Promise<LadderResult> {
    if (plan.room === undefined) return { declined: [], ended: "done" };
    // Whoever asks for it by hand knows that it has failed before.
    const [breaker, rule] = isEconomic
      ? ([carriedState.economicBreaker, ECONOMIC_BREAKER] as const)
      : ([carriedState.breaker, WINDOW_BREAKER] as const);
    if (trigger !== "manual" && !mayTry(breaker, seen, rule)) {
      const why = `after ${breaker.failures} failures in a row no model is asked for now`;
      return { declined: [{ rung: "fork", why }], failure: "no-summary", ended: "done" };
    }
    const calls = { trigger, settings: held, instructions, directWindowTokens: windowTokens };
    return runSummaryLadder({ ...planCalls(plan, plan.room, calls), modelCalls });
  }
}

/** Asked once for each file, however often the view is put together. */
function remembering(surroundings: Surroundings): Surroundings {
  const { readFile } = surroundings;
  if (readFile === undefined) return surroundings;
  const known = new Map<string, Promise<string | undefined>>();
  return {
    ...surroundings,
    readFile(path) {
      const content = known.get(path) ?? readFile(path);
      known.set(path, content);
      return content;
    },
  };
}

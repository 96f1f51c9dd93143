import type { CompactionTrigger } from "../../log/payload.ts";
import type { ModelFacts } from "../../providers/models.ts";
import type { Provider } from "../../providers/provider.ts";
import type { Tell } from "../../session-event.ts";
import type { Settings } from "../../settings/settings.ts";
import { breakerAfter, CLOSED, mayTry, type Seen } from "../../stages/compact/breaker.ts";
import { type Climbed, climb } from "../../stages/compact/climb.ts";
import type { Clock } from "../clock.ts";
import type { Forks } from "../fork/forks.ts";
import type { SessionState } from "../session-state.ts";
import { windowOfModel } from "../terms.ts";
import { composeView } from "./compose-view.ts";
import { foldRequest } from "./fold-request.ts";
import type { ReadyView } from "./install-boundary.ts";
import { directOutputTokens, planCalls } from "./plan-calls.ts";
import type { CompactionPlan } from "./plan-compaction.ts";
import type { Surroundings } from "./surroundings.ts";
import { createTalks } from "./talks.ts";
import { withinTime } from "./within-time.ts";

export interface SummaryOptions<Request, Response, Message> {
  readonly session: string;
  readonly state: SessionState;
  readonly provider: Provider<Request, Response, Message>;
  readonly forks: Pick<Forks<Request, Response>, "talk">;
  readonly factsOf: (model: string) => ModelFacts;
  readonly settings: Settings;
  /** Files that the model still sees, with the entries of their reads. */
  readonly filesRead: ReadonlyMap<string, number>;
  readonly surroundings: Surroundings;
  readonly clock: Required<Clock>;
  readonly trigger: CompactionTrigger;
  /** What the summary is to pay heed to. */
  readonly instructions: string;
  readonly signal: AbortSignal;
  readonly tell: Tell;
  /** Is told how much of a summary has arrived. */
  readonly onProgress: (receivedCharacters: number) => void;
}

/** Asks models for a summary, from the cheapest way on, and does without if none gives one. Undefined: nothing would fit. */
export async function askForSummary<Request, Response, Message>(
  plan: CompactionPlan,
  options: SummaryOptions<Request, Response, Message>,
): Promise<ReadyView | undefined> {
  const { session, settings: held, factsOf, clock, surroundings, signal, trigger, instructions, onProgress } = options;
  const { standing, newestEntry, configuration, budget } = plan.snapshot;
  const model = held["compaction.model"] || configuration.model;
  const windowTokens =
    model === configuration.model
      ? budget.windowTokens
      : windowOfModel(model, factsOf(model), { settings: held }).tokens;
  const talks = createTalks({
    ...{ ...options, signal, model },
    maxOutputTokens: directOutputTokens(held, windowTokens),
    foldRequest: (told) =>
      foldRequest(options.provider, {
        ...{ session, snapshot: plan.snapshot, range: plan.range, instructions: told },
        rules: { provider: options.provider.name, thinking: factsOf(configuration.model).thinking },
        maxOutputTokens: directOutputTokens(held, windowTokens),
      }),
    maxCalls: held["compaction.maxCalls"],
    callsBefore: standing.calls,
    stallMs: held["compaction.stallSeconds"] * 1_000,
    deadlineMs: clock.now() + held["compaction.deadlineSeconds"] * 1_000,
    onProgress,
  });
  const host = remembering(withinTime(surroundings, { clock, signal }));
  const composing = { settings: held, surroundings: host, filesRead: options.filesRead };
  const seen: Seen = { nowMs: clock.now(), userMessages: standing.userMessages, viewChangedAt: newestEntry };
  const climbed = await askModels();
  if (climbed.ended === "aborted") return undefined;
  const { summary } = climbed;
  const whole = summary && (await composeView(summary, plan, composing));
  if (whole !== undefined) {
    const { declined } = climbed;
    return { view: whole, rung: summary!.rung, declined, breaker: CLOSED, spent: talks.spent() };
  }
  const late = summary && { rung: summary.rung, why: "with it, the view would not be smaller by enough" };
  const declined = [...climbed.declined, ...(late === undefined ? [] : [late])];
  const view = await composeView(undefined, plan, composing);
  const wasAsked = talks.spent().calls > 0;
  const breaker = wasAsked ? breakerAfter(standing.breaker, { kind: "failed", seen }) : standing.breaker;
  return view && { view, rung: "digest", declined, breaker, spent: talks.spent() };

  async function askModels(): Promise<Climbed> {
    if (plan.room === undefined) return { declined: [], ended: "done" };
    // Whoever asks for it by hand knows that it has failed before.
    if (trigger !== "manual" && !mayTry(standing.breaker, seen)) {
      const why = `after ${standing.breaker.failures} failures in a row no model is asked for now`;
      return { declined: [{ rung: "fork", why }], ended: "done" };
    }
    const calls = { trigger, settings: held, instructions, directWindowTokens: windowTokens };
    return climb({ ...planCalls(plan, plan.room, calls), talks });
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

import type { AttemptPayload, CompactionRecord, CompactionRung, CompactionTrigger } from "../log/payload.ts";
import { toDraft } from "../log/to-draft.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import type { Settings } from "../settings/settings.ts";
import { type BreakerState, breakerAfter, CLOSED, mayTry, type Seen } from "../stages/compact/breaker.ts";
import type { CompactionPart } from "../stages/compact/choose-range.ts";
import { type Climbed, climb } from "../stages/compact/climb.ts";
import type { Budget } from "../tokens/budget.ts";
import { windowOf } from "../tokens/window.ts";
import type { Clock } from "./clock.ts";
import { type CompactedView, composeView } from "./compose-view.ts";
import type { Forks } from "./forks.ts";
import { addKnowledge } from "./gather-knowledge.ts";
import { planBoundary } from "./plan-boundary.ts";
import { directOutputTokens, planCalls } from "./plan-calls.ts";
import { type CompactionPlan, planCompaction, type Snapshot, takeSnapshot } from "./plan-compaction.ts";
import type { SessionState } from "./session-state.ts";
import type { Surroundings } from "./surroundings.ts";
import { createTalks, type Spent } from "./talks.ts";

export interface CompactOptions {
  /** Folds this message and all behind it: what stands before it stays, and stays in the cache. @default all is folded */
  readonly from?: number;
  /** Folds all before this message. @default all is folded */
  readonly upTo?: number;
  /** What the summary is to pay heed to. */
  readonly instructions?: string;
  /** Ends it; the session stays as it was. */
  readonly signal?: AbortSignal;
}

/** What became of a compaction. Unless it is `compacted`, the view has not changed. */
export type CompactionOutcome =
  | ({ readonly kind: "compacted"; readonly boundary: number } & CompactionRecord)
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "failed"; readonly failure: AttemptPayload["failure"]; readonly why: string }
  | { readonly kind: "aborted" };

export interface CompactionsOptions<Request, Response, Message> {
  readonly session: string;
  readonly state: SessionState;
  readonly provider: Provider<Request, Response, Message>;
  readonly forks: Pick<Forks<Request, Response>, "talk">;
  readonly factsOf: (model: string) => ModelFacts;
  readonly settings: () => Settings;
  readonly budget: () => Budget;
  /** Files that the model still sees, with the entries of their reads. */
  readonly filesRead: () => ReadonlyMap<string, number>;
  readonly surroundings: Surroundings;
  readonly attendance: "attended" | "alone";
  readonly clock: Required<Clock>;
  readonly signal: AbortSignal;
}

export interface Compactions {
  /** The one way to a compaction, whoever asks for it; one after another. */
  compact(trigger: CompactionTrigger, options?: CompactOptions): Promise<CompactionOutcome>;
}

/** A view that is ready to be installed, and how it came about. */
interface Ready {
  readonly view: CompactedView;
  readonly rung: CompactionRung;
  readonly declined: Climbed["declined"];
  readonly breaker: BreakerState;
  readonly spent: Spent;
}

export function createCompactions<Request, Response, Message>(
  options: CompactionsOptions<Request, Response, Message>,
): Compactions {
  const { state, settings, clock, surroundings, attendance, factsOf } = options;
  let tail: Promise<unknown> = Promise.resolve();

  async function run(trigger: CompactionTrigger, wanted: CompactOptions): Promise<CompactionOutcome> {
    const held = settings();
    if (held["compaction.enabled"] === "off") return { kind: "nothing", why: "compaction.enabled is off" };
    const signal = wanted.signal === undefined ? options.signal : AbortSignal.any([options.signal, wanted.signal]);
    // The session goes on meanwhile: what is appended stays behind what is folded.
    const snapshot = await state.inOrder(async () => takeSnapshot(state, options.budget()));
    const todos = await surroundings.todos?.().catch(() => undefined);
    const planning = { log: state.log, settings: held, trigger, attendance, todos };
    const plan = await planCompaction(snapshot, partOf(wanted), planning);
    if ("kind" in plan) return plan;
    const ready = await makeReady(plan, trigger, { ...wanted, signal });
    if (signal.aborted) return { kind: "aborted" };
    if (ready === undefined) return fail(trigger, tooLarge(plan));
    return state.inOrder(() => install(plan, ready, trigger));
  }

  async function makeReady(
    plan: CompactionPlan,
    trigger: CompactionTrigger,
    { instructions, signal }: CompactOptions & { readonly signal: AbortSignal },
  ): Promise<Ready | undefined> {
    const held = settings();
    const { standing, newestEntry, configuration, budget } = plan.snapshot;
    const model = held["compaction.model"] || configuration.model;
    const windowTokens = model === configuration.model ? budget.windowTokens : windowOfModel(model, held);
    const talks = createTalks({
      ...{ ...options, signal, model },
      maxOutputTokens: directOutputTokens(held, windowTokens),
      maxCalls: Math.max(0, held["compaction.maxCalls"] - standing.calls),
      stallMs: held["compaction.stallSeconds"] * 1_000,
      onProgress: () => {},
    });
    const composing = { settings: held, surroundings: remembering(surroundings), filesRead: options.filesRead() };
    const seen: Seen = { nowMs: clock.now(), userMessages: standing.userMessages, viewChangedAt: newestEntry };
    const climbed = await askModels();
    if (climbed.ended === "aborted") return undefined;
    const { summary } = climbed;
    const whole = summary && (await composeView(summary.text, plan, composing));
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

  function windowOfModel(model: string, held: Settings): number {
    const { maxInputTokens, windowTokens } = factsOf(model);
    const capabilityTokens = maxInputTokens ?? windowTokens;
    return windowOf({ model, capabilityTokens, betas: [], fallbackTokens: held["window.tokens"] });
  }

  /** Writes it in one batch: before, nothing has changed; behind it, all has. */
  async function install(plan: CompactionPlan, ready: Ready, trigger: CompactionTrigger): Promise<CompactionOutcome> {
    const { snapshot, range, variant } = plan;
    if (isOvertaken(snapshot)) return { kind: "nothing", why: "the conversation was changed while it was summarised" };
    const { view, rung, declined, breaker, spent } = ready;
    const { text, attachments, parts, tokensAfter } = view;
    const record: CompactionRecord = {
      ...{ trigger, variant, rung, declined, messages: range.folded.length, parts },
      ...{ tokensBefore: snapshot.sizeTokens, tokensAfter, modelCalls: spent.calls },
      ...(spent.calls === 0 ? {} : { priceUsd: spent.priceUsd }),
    };
    const shedTokens = Math.max(0, snapshot.sizeTokens - tokensAfter);
    const decision = {
      from: range.from,
      to: range.to,
      with: [{ role: "user", origin: "summary", blocks: [{ kind: "text", text }] }] as const,
      reason: `compacted (${trigger}, ${rung})`,
      cost: { shedTokens, invalidatedPrefixTokens: Math.max(0, tokensAfter - plan.fixed["system and tools"]) },
    };
    // What was appended meanwhile lies before the boundary, where the next compaction begins to read.
    const meanwhile = [{ from: snapshot.newestEntry + 1, to: state.newestEntry }];
    const knowledge = await addKnowledge(state.log, meanwhile, plan.knowledge);
    const { view: shown, ledger, newestEntry } = state;
    const standing = { ...state.standing, ...knowledge, breaker };
    const boundary = planBoundary(decision, { view: shown, ledger, standing, sequence: newestEntry + 1 });
    const [number] = await state.append([
      toDraft("boundary", { ...boundary, compaction: record }),
      ...attachments.map((one) => toDraft("attachment", one)),
    ]);
    return { kind: "compacted", boundary: number!, ...record };
  }

  /** Something of what was summarised is shown in another way by now, or is not shown at all. */
  function isOvertaken({ view, changedAt }: Snapshot): boolean {
    return state.view !== view || state.view.changedAt !== changedAt;
  }

  async function fail(trigger: CompactionTrigger, why: string): Promise<CompactionOutcome> {
    const attempt: AttemptPayload = { trigger, failure: "too-large", why };
    await state.inOrder(async () => {
      await state.append([toDraft("attempt", attempt)]);
    });
    return { kind: "failed", failure: attempt.failure, why };
  }

  return {
    compact(trigger, wanted = {}) {
      const result = tail.then(() => run(trigger, wanted));
      tail = result.catch(() => undefined);
      return result;
    },
  };
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

function partOf({ from, upTo }: CompactOptions): CompactionPart {
  if (from !== undefined) return { variant: "from", entry: from };
  return upTo === undefined ? { variant: "full" } : { variant: "up_to", entry: upTo };
}

function tooLarge({ fixed, snapshot, targetTokens }: CompactionPlan): string {
  const parts = Object.entries(fixed).map(([part, tokens]) => `${part} ${tokens}`);
  return (
    `of ${snapshot.sizeTokens} tokens, what cannot be folded is too much for ${targetTokens}: ${parts.join(", ")}. ` +
    "Shorten the system prompt, offer fewer tools, take back pins, or use a model with a larger window"
  );
}

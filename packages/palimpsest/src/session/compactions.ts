import type { Hooks } from "../hooks/hook.ts";
import { mergeInstructions } from "../hooks/merge-instructions.ts";
import type { AttemptPayload, CompactionRecord, CompactionRung, CompactionTrigger } from "../log/payload.ts";
import { toDraft } from "../log/to-draft.ts";
import type { DeclinedCause } from "../notes/keep-calculation.ts";
import type { ModelFacts } from "../providers/models.ts";
import type { Provider } from "../providers/provider.ts";
import type { CompactionEnded, Tell, UsedTokens } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { type BreakerState, breakerAfter, CLOSED, mayTry, type Seen } from "../stages/compact/breaker.ts";
import type { CompactionPart } from "../stages/compact/choose-range.ts";
import { type Climbed, climb } from "../stages/compact/climb.ts";
import type { Budget } from "../tokens/budget.ts";
import { windowOf } from "../tokens/window.ts";
import type { Clock } from "./clock.ts";
import type { CompactionOutcome, CompactOptions } from "./compact-options.ts";
import { type CompactedView, composeView } from "./compose-view.ts";
import { foldRequest } from "./fold-request.ts";
import type { Forks } from "./forks.ts";
import { addKnowledge } from "./gather-knowledge.ts";
import type { SessionNotes } from "./notes.ts";
import { planBoundary } from "./plan-boundary.ts";
import { directOutputTokens, planCalls } from "./plan-calls.ts";
import {
  type CompactionPlan,
  type PlanOptions,
  planCompaction,
  type Snapshot,
  takeSnapshot,
} from "./plan-compaction.ts";
import { startContents } from "./run-hooks.ts";
import { InvalidOptionError } from "./session-errors.ts";
import type { SessionState } from "./session-state.ts";
import type { Surroundings } from "./surroundings.ts";
import { createTalks, type Spent } from "./talks.ts";
import type { NewContent } from "./to-contents.ts";
import { withinTime } from "./within-time.ts";

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
  readonly notes: Pick<SessionNotes, "planCompaction">;
  readonly surroundings: Surroundings;
  readonly attendance: "attended" | "alone";
  readonly clock: Required<Clock>;
  readonly tell: Tell;
  readonly runHooks: Hooks["run"];
  /** Appends what hooks have to add. */
  readonly append: (contents: readonly NewContent[]) => Promise<unknown>;
  readonly signal: AbortSignal;
}

export interface Compactions {
  /** The one way to a compaction, whoever asks for it; one after another. */
  compact(trigger: CompactionTrigger, options?: CompactOptions): Promise<CompactionOutcome>;
}

interface RunOptions extends CompactOptions {
  readonly signal: AbortSignal;
  /** Its name, for whoever is told of it. */
  readonly compaction: string;
}

interface Ended {
  readonly outcome: CompactionOutcome;
  /** By the calls that were made for it. */
  readonly used?: UsedTokens | undefined;
  /** What the model is shown from now on. */
  readonly summary?: string;
}

/** A view that is ready to be installed, and how it came about. */
interface Ready {
  readonly view: CompactedView;
  readonly rung: CompactionRung;
  readonly declined: Climbed["declined"];
  readonly breaker: BreakerState;
  readonly spent: Spent;
  readonly instructions?: string;
}

export function createCompactions<Request, Response, Message>(
  options: CompactionsOptions<Request, Response, Message>,
): Compactions {
  const { session, state, settings, clock, surroundings, attendance, factsOf, tell, runHooks } = options;
  let tail: Promise<unknown> = Promise.resolve();

  /** Told of at its beginning and at its end, however it ends. */
  async function run(trigger: CompactionTrigger, wanted: CompactOptions): Promise<CompactionOutcome> {
    if (settings()["compaction.enabled"] === "off")
      return { kind: "nothing", cause: "switched-off", why: "compaction.enabled is off" };
    const signal = wanted.signal === undefined ? options.signal : AbortSignal.any([options.signal, wanted.signal]);
    // The session goes on meanwhile: what is appended stays behind what is folded.
    const snapshot = await state.inOrder(async () => takeSnapshot(state, options.budget()));
    const compaction = `${session}:${snapshot.newestEntry}`;
    const { boundaries, turns } = snapshot.standing.chain;
    tell({
      ...{ kind: "compaction-started", compaction, trigger, tokensBefore: snapshot.sizeTokens },
      ...{ earlierCompactions: boundaries, ...(boundaries === 0 ? {} : { turnsSincePrevious: turns }) },
    });
    let told: CompactionEnded["outcome"] = { kind: "failed", failure: "api_error" };
    try {
      const { outcome, summary, used } = await runWith(snapshot, trigger, { ...wanted, signal, compaction });
      told = { ...toldOutcome(outcome, summary), ...(used === undefined ? {} : { used }) };
      return outcome;
    } finally {
      tell({ kind: "compaction-ended", compaction, outcome: told });
    }
  }

  async function runWith(snapshot: Snapshot, trigger: CompactionTrigger, wanted: RunOptions): Promise<Ended> {
    const held = settings();
    const { signal, compaction } = wanted;
    const customInstructions = wanted.instructions ?? "";
    const before = await runHooks("PreCompact", { sessionId: session, trigger, customInstructions }, { signal });
    if (before.blocked !== undefined) {
      const why = `a hook blocked it: ${before.blocked.reason}`;
      return { outcome: { kind: "nothing", cause: "blocked", why } };
    }
    tell({ kind: "compaction-progressed", compaction, phase: "gathering" });
    const todos = await withinTime(surroundings, { clock, signal }).todos?.();
    const planning = { log: state.log, settings: held, trigger, attendance, todos };
    const byNotes =
      trigger === "auto" && held["compaction.notes"] === "on" ? await tryNotes(snapshot, planning) : undefined;
    if (byNotes?.kind === "ready") return finish(byNotes.plan, byNotes.ready, trigger);
    const plan = await planCompaction(snapshot, partOf(wanted), planning);
    if ("kind" in plan) return { outcome: { ...plan, cause: "nothing-to-fold" } };
    const instructions = mergeInstructions(customInstructions, before);
    const ready = await makeReady(plan, trigger, { ...wanted, instructions: instructions ?? "" });
    if (signal.aborted) return { outcome: { kind: "aborted" } };
    if (ready === undefined && isSmall(plan)) return { outcome: TOO_SMALL };
    if (ready === undefined) return { outcome: await fail(trigger, tooLarge(plan)) };
    const earlier = byNotes === undefined ? [] : [{ rung: "notes" as const, why: byNotes.why }];
    const told = instructions === undefined || instructions === "" ? {} : { instructions };
    return finish(plan, { ...ready, ...told, declined: [...earlier, ...ready.declined] }, trigger);
  }

  async function finish(plan: CompactionPlan, ready: Ready, trigger: CompactionTrigger): Promise<Ended> {
    const outcome = await state.inOrder(() => install(plan, ready, trigger));
    if (outcome.kind === "compacted") await afterwards(outcome, ready);
    return { outcome, summary: ready.view.text, used: ready.spent.used };
  }

  /** The notes as the summary: no model is asked, and what they do not cover stays as it is. */
  async function tryNotes(snapshot: Snapshot, planning: PlanOptions) {
    const planned = await options.notes.planCompaction(snapshot);
    const declined = (cause: DeclinedCause, why: string) => {
      tell({ kind: "notes-compaction-declined", reason: cause });
      return { kind: "declined", why } as const;
    };
    if (planned.kind === "declined") return declined(planned.cause, planned.reason);
    const plan = await planCompaction(snapshot, { variant: "up_to", entry: planned.from }, planning);
    if ("kind" in plan) return declined("nothing-to-fold", plan.why);
    const composing = { settings: planning.settings, surroundings, filesRead: options.filesRead() };
    const view = await composeView({ text: planned.summary }, plan, composing);
    if (view === undefined) return declined("too-large", "with the notes, the view would not be smaller by enough");
    const { breaker } = snapshot.standing;
    const ready: Ready = { view, rung: "notes", declined: [], breaker, spent: { calls: 0, priceUsd: 0 } };
    return { kind: "ready", plan, ready } as const;
  }

  async function afterwards(
    { trigger, tokensBefore, tokensAfter }: CompactionRecord,
    { view, breaker }: Ready,
  ): Promise<void> {
    tell({ kind: "files-restored", ...view.files });
    if (breaker.kind === "open") tell({ kind: "breaker-tripped", of: "compaction", failures: breaker.failures });
    const told = { sessionId: session, trigger, summary: view.text, tokensBefore, tokensAfter };
    await runHooks("PostCompact", told, {});
    const started = startContents(await runHooks("SessionStart", { sessionId: session, source: "compact" }, {}));
    if (started.length > 0) await options.append(started);
  }

  async function makeReady(
    plan: CompactionPlan,
    trigger: CompactionTrigger,
    { instructions, signal, compaction }: RunOptions,
  ): Promise<Ready | undefined> {
    const held = settings();
    const { standing, newestEntry, configuration, budget } = plan.snapshot;
    const model = held["compaction.model"] || configuration.model;
    const windowTokens = model === configuration.model ? budget.windowTokens : windowOfModel(model, held);
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
      onProgress: (characters) =>
        tell({ kind: "compaction-progressed", compaction, phase: "summarising", receivedCharacters: characters }),
    });
    const host = remembering(withinTime(surroundings, { clock, signal }));
    const composing = { settings: held, surroundings: host, filesRead: options.filesRead() };
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

  function windowOfModel(model: string, held: Settings): number {
    const { maxInputTokens, windowTokens } = factsOf(model);
    const capabilityTokens = maxInputTokens ?? windowTokens;
    return windowOf({ model, capabilityTokens, betas: [], fallbackTokens: held["window.tokens"] });
  }

  /** Writes it in one batch: before, nothing has changed; behind it, all has. */
  async function install(plan: CompactionPlan, ready: Ready, trigger: CompactionTrigger): Promise<CompactionOutcome> {
    const { snapshot, range, variant } = plan;
    if (isOvertaken(snapshot)) {
      return { kind: "nothing", cause: "overtaken", why: "the conversation was changed while it was summarised" };
    }
    const { view, rung, declined, breaker, spent } = ready;
    const { text, block, attachments, parts, tokensAfter } = view;
    const record: CompactionRecord = {
      ...{ trigger, variant, rung, declined, messages: range.folded.length, parts },
      ...{ tokensBefore: snapshot.sizeTokens, tokensAfter, modelCalls: spent.calls },
      ...(spent.calls === 0 ? {} : { priceUsd: spent.priceUsd }),
      ...(ready.instructions === undefined ? {} : { instructions: ready.instructions }),
    };
    const shedTokens = Math.max(0, snapshot.sizeTokens - tokensAfter);
    const decision = {
      from: range.from,
      to: range.to,
      with: [
        // In its place the provider finds a message of its own; to any other it is text, or nothing.
        ...(block === undefined ? [] : [{ role: "assistant", origin: "summary", blocks: [block] } as const]),
        { role: "user", origin: "summary", blocks: [{ kind: "text", text }] } as const,
      ],
      reason: `compacted (${trigger}, ${rung})`,
      cost: { shedTokens, invalidatedPrefixTokens: Math.max(0, tokensAfter - tokensBefore(plan)) },
    };
    // What was appended meanwhile lies before the boundary, where the next compaction begins to read.
    const meanwhile = [{ from: snapshot.newestEntry + 1, to: state.newestEntry }];
    const knowledge = await addKnowledge(state.log, meanwhile, plan.knowledge);
    const { view: shown, ledger, newestEntry } = state;
    const standing = { ...state.standing, ...knowledge, breaker, calls: callsOfTurn(snapshot, spent) };
    const boundary = planBoundary(decision, { view: shown, ledger, standing, sequence: newestEntry + 1 });
    const [number] = await state.append([
      toDraft("boundary", { ...boundary, compaction: record }),
      ...attachments.map((one) => toDraft("attachment", one)),
    ]);
    return { kind: "compacted", boundary: number!, ...record };
  }

  /** Since the user last said something. Calls that failed have left no usage in the log, and count all the same. */
  function callsOfTurn({ standing: before }: Snapshot, { calls }: Spent): number {
    const { standing } = state;
    return standing.userMessages === before.userMessages ? before.calls + calls : standing.calls;
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
      const { signal } = wanted;
      const waited = tail;
      const result = waited.then(() => (signal?.aborted ? ABORTED : run(trigger, wanted)));
      tail = result.catch(() => undefined);
      return signal === undefined ? result : Promise.race([result, abortedBefore(waited, signal)]);
    },
  };
}

const ABORTED: CompactionOutcome = { kind: "aborted" };

/** Whoever waits for a turn that is not theirs yet need not wait for its end. */
function abortedBefore(turn: Promise<unknown>, signal: AbortSignal): Promise<CompactionOutcome> {
  return new Promise((resolve) => {
    const abort = (): void => resolve(ABORTED);
    signal.addEventListener("abort", abort, { once: true });
    turn.finally(() => signal.removeEventListener("abort", abort));
  });
}

function toldOutcome(outcome: CompactionOutcome, summary = ""): CompactionEnded["outcome"] {
  switch (outcome.kind) {
    case "compacted": {
      const { rung, tokensBefore, tokensAfter } = outcome;
      return { kind: "compacted", rung, tokensBefore, tokensAfter, summary };
    }
    case "nothing":
      return { kind: "declined", reason: outcome.cause };
    case "aborted":
      return { kind: "failed", failure: "aborted" };
    case "failed":
      return { kind: "failed", failure: "prompt_too_long" };
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

/** What stands before all that is folded, and stays in the cache. */
function tokensBefore({ fixed, range, snapshot }: CompactionPlan): number {
  const before = range.kept.filter(({ to }) => to < range.from);
  return before.reduce((sum, item) => sum + snapshot.tokensOf(item), fixed["system and tools"]);
}

function partOf({ from, upTo }: CompactOptions): CompactionPart {
  if (from !== undefined && upTo !== undefined) {
    throw new InvalidOptionError("from and upTo", [from, upTo], "given one at a time");
  }
  if (from !== undefined) return { variant: "from", entry: from };
  return upTo === undefined ? { variant: "full" } : { variant: "up_to", entry: upTo };
}

const TOO_SMALL: CompactionOutcome = {
  ...{
    kind: "nothing",
    cause: "too-small",
    why: "the conversation is too small for a summary to be smaller by enough",
  },
};

/** What stays would leave room enough: it is what was said that is little. */
function isSmall({ fixed, snapshot, targetTokens }: CompactionPlan): boolean {
  const fixedTokens = Object.values(fixed).reduce((sum, tokens) => sum + tokens, 0);
  return snapshot.sizeTokens < targetTokens && fixedTokens < targetTokens / 2;
}

function tooLarge({ fixed, snapshot, targetTokens }: CompactionPlan): string {
  const parts = Object.entries(fixed).map(([part, tokens]) => `${part} ${tokens}`);
  return (
    `of ${snapshot.sizeTokens} tokens, what cannot be folded is too much for ${targetTokens}: ${parts.join(", ")}. ` +
    "Shorten the system prompt, offer fewer tools, take back pins, or use a model with a larger window"
  );
}

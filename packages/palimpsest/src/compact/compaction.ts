// The compactions of a session, one after another: announces or asks, plans, asks for a summary, and installs the result.

import { InvalidOptionError } from "../errors.ts";
import type { Forks } from "../forks/forks.ts";
import { mergeInstructions } from "../hooks/hook.ts";
import { toDraft } from "../log/entry.ts";
import type { AttemptPayload, CompactionFailure, CompactionRecord, DecidedBy } from "../log/payload-compaction.ts";
import type { NotesKeeper } from "../notes/keeper.ts";
import type { DeclinedCause } from "../notes/plan.ts";
import { HELD, isFull, type Take } from "../policy/decide.ts";
import { RANGE_RULE, SUMMARY_RULE } from "../policy/guard.ts";
import type { Level } from "../policy/policy.ts";
import { type CompactProposal, proposalIn } from "../policy/rules/when.ts";
import type { WindowState } from "../policy/window-state.ts";
import type {
  CompactionAnnounced,
  CompactionDegraded,
  CompactionEnded,
  CompactionForecast,
  SummaryFailure,
} from "../session-event.ts";
import {
  type BreakerState,
  type CarriedState,
  CLOSED,
  COMPACTION_SOURCE,
  ECONOMIC_BREAKER,
  isOptional,
  mayTry,
  retryAtMs,
  WINDOW_BREAKER,
} from "../state/carried.ts";
import { type SessionCore, startContents } from "../state/core.ts";
import { type Surroundings, withTimeout } from "../state/host-content.ts";
import { leaveRoom } from "../state/limits.ts";
import type { Attendance, DueCompaction, Hold } from "../state/options.ts";
import type { ContentInlet, Sizes } from "../state/ports.ts";
import { type Snapshot, takeSnapshot } from "../state/state.ts";
import type { Ahead, ReadyText } from "./ahead.ts";
import { becauseOf } from "./explain.ts";
import { type CompactionOrigin, callsOfTurn, installBoundary, type ReadyView } from "./install.ts";
import type { CompactionOutcome, CompactOptions, DecisionOutcome, EndedCompaction } from "./outcome.ts";
import { composeView } from "./parts/compose.ts";
import { type CompactionPart, type CompactionPlan, type PlanOptions, partByPolicy, planCompaction } from "./plan.ts";
import { type AskedSummary, askForSummary, planOptions } from "./summarize.ts";
import type { CallLimits } from "./summary/model-calls.ts";

/** The parts of a session that compacting needs. */
interface CompactionsParts extends SessionCore {
  readonly inlet: ContentInlet;
  readonly outlet: { filesRead(): ReadonlyMap<string, number> };
  readonly measures: Pick<Sizes, "budget" | "windowState">;
  readonly forks: Pick<Forks, "converse">;
  readonly notes: Pick<NotesKeeper, "planCompaction">;
  readonly ahead: Pick<Ahead, "isRunning" | "settled" | "ready" | "dropNow" | "tellCompacted" | "cancel">;
}

/** Who asks for a compaction, and the forecast if the policy or the provider asks. */
type CompactionCause =
  | { readonly trigger: "manual" }
  | { readonly trigger: "auto"; readonly forecast: CompactionForecast; readonly decided: DecidedBy }
  | { readonly trigger: "reactive"; readonly forecast: CompactionForecast };

/** The compaction that is running. */
interface Run {
  /** The name of the compaction in events. */
  readonly compaction: string;
  readonly snapshot: Snapshot;
  readonly origin: CompactionOrigin;
  readonly options: CompactOptions;
  readonly signal: AbortSignal;
  /** When the last model call must have ended, whether the compaction waits for it or makes it. */
  readonly endsAtMs: number;
}

/** The one way to a compaction, whoever asks for it. Compactions run one after another, beside the session. */
export class Compactions {
  readonly #parts: CompactionsParts;
  #tail: Promise<unknown> = Promise.resolve();
  readonly #limits: CallLimits;
  /** The number of user messages when the user was last asked, or could not be asked. */
  #askedAtMessage: number | undefined;

  constructor(parts: CompactionsParts, limits: CallLimits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  compact(cause: CompactionCause, options: CompactOptions = {}): Promise<CompactionOutcome> {
    const { signal } = options;
    const waited = this.#tail;
    const result = waited.then(() => (signal?.aborted ? ABORTED : this.#run(cause, options)));
    this.#tail = result.catch(() => undefined);
    return signal === undefined ? result : Promise.race([result, abortedBefore(waited, signal)]);
  }

  /** A compaction is due before a request: announces it, asks the user, or compacts, as the settings say. */
  async beforeRequest(
    { forecast, decided, hold }: DueCompaction,
    options: Pick<CompactOptions, "signal">,
  ): Promise<DecisionOutcome> {
    const isAsked = this.#parts.settings.current.compaction === "ask";
    // A user who is asked needs no announcement. A compaction that the user took back is not asked about again.
    if (hold !== undefined && !(isAsked && hold.by === "opened")) {
      await this.#announce(forecast, heldUntil(hold));
      return heldOutcome(hold);
    }
    if (!isAsked) await this.announceFirst(forecast);
    else if (!(await this.#mayCompact(forecast, options.signal))) return NOT_APPROVED;
    return decisionOutcome(await this.compact({ trigger: "auto", forecast, decided }, options));
  }

  /** Announces the first compaction after the session was opened, unless the user asked for it. */
  async announceFirst(forecast: CompactionForecast): Promise<void> {
    const { state, attendance } = this.#parts;
    if (announcedAt(state.carriedState) <= attendance.openedAt) await this.#announce(forecast, "now");
  }

  async #announce(forecast: CompactionForecast, when: CompactionAnnounced["when"]): Promise<void> {
    const { state, ports } = this.#parts;
    ports.emit({ kind: "compaction-announced", ...forecast, when });
    await state.inOrder(() => state.append([toDraft("reader", { name: ANNOUNCED, coveredTo: state.newestEntry })]));
  }

  async #mayCompact(forecast: CompactionForecast, signal: AbortSignal | undefined): Promise<boolean> {
    const { state, options, ports } = this.#parts;
    const { userMessages } = state.carriedState;
    // A user who said "not now" is asked again after their next message.
    if (this.#askedAtMessage === userMessages) return false;
    this.#askedAtMessage = userMessages;
    if (options.approveCompaction === undefined) {
      ports.emit({ kind: "compaction-due", ...forecast });
      return false;
    }
    try {
      return (await options.approveCompaction(forecast, { signal })) === "compact";
    } catch {
      // No answer counts as no. An aborted turn ends where the request is prepared.
      return false;
    }
  }

  /** Emits the beginning and the end of a compaction, whatever its outcome. */
  async #run(cause: CompactionCause, options: CompactOptions): Promise<CompactionOutcome> {
    const { id, ports } = this.#parts;
    const signal = options.signal === undefined ? ports.signal : AbortSignal.any([ports.signal, options.signal]);
    // A person who asks for a compaction does not wait for a summary of less, without the instructions.
    if (cause.trigger === "manual")
      this.#parts.ahead.cancel({ reason: "compacted", because: "the user or the host compacts the conversation" });
    // The session continues meanwhile: content that is appended now stays behind the summary.
    const snapshot = await this.#look();
    const compaction = `${id}:${snapshot.newestEntry}`;
    const { boundaries, turns } = snapshot.carriedState.chain;
    const endsAtMs = ports.clock.now() + this.#limits.deadlineMs;
    const run: Run = { compaction, snapshot, origin: originOf(cause), options, signal, endsAtMs };
    const { trigger, reason, overrides } = run.origin;
    ports.emit({
      kind: "compaction-started",
      compaction,
      trigger,
      reason,
      because: becauseOf(run.origin),
      ...(overrides === undefined ? {} : { overrides }),
      tokensBefore: snapshot.sizeTokens,
      earlierCompactions: boundaries,
      ...(boundaries === 0 ? {} : { turnsSincePrevious: turns }),
    });
    let degraded: CompactionDegraded | undefined;
    let outcome: CompactionEnded["outcome"] = { kind: "failed", failure: "no_summary", why: "it ended by an error" };
    try {
      const ended = await this.#recordFailure(run, await this.#compact(run));
      outcome = reportOutcome(ended);
      degraded = degradedBy(compaction, ended);
      return ended.outcome;
    } finally {
      ports.emit({ kind: "compaction-ended", compaction, reason: run.origin.reason, outcome });
      if (degraded !== undefined) ports.emit(degraded);
    }
  }

  #look(): Promise<Snapshot> {
    const { state, measures } = this.#parts;
    return state.inOrder(async () => takeSnapshot(state, measures.budget()));
  }

  /** Installs the summary that was written before it was needed, waits for one that is being written, or asks for one. */
  async #compact(started: Run): Promise<EndedCompaction> {
    const { ahead, state, ports } = this.#parts;
    const { compaction, origin, signal } = started;
    if (origin.trigger === "manual") return this.#summarize(started);
    let run = started;
    if (ahead.isRunning) {
      const halfMs = this.#limits.deadlineMs / 2;
      await ahead.settled(signal, run.endsAtMs - halfMs, (receivedCharacters) =>
        ports.emit({ kind: "compaction-progressed", compaction, phase: "waiting", receivedCharacters }),
      );
      if (signal.aborted) return { outcome: { kind: "aborted" } };
      run = { ...started, snapshot: await this.#look() };
    }
    const ready = await state.inOrder(() => ahead.ready());
    const installed = ready && (await this.#installPrepared(run, ready));
    return installed ?? this.#summarize(run);
  }

  /** Installs a prepared summary. What came after its range stays as it is. Undefined if the view would not be smaller by enough. */
  async #installPrepared(run: Run, { state: prepared, payload }: ReadyText): Promise<EndedCompaction | undefined> {
    const { ahead, state, options, ports, outlet, measures } = this.#parts;
    const { snapshot, signal, origin, compaction } = run;
    ports.emit({ kind: "compaction-progressed", compaction, phase: "gathering" });
    const host = withTimeout(options.surroundings ?? {}, { clock: ports.clock, signal });
    const [todos, head] = await Promise.all([host.todos?.(), host.head?.()]);
    const { trigger } = origin;
    const planning = { trigger, moment: "before-request", todos, head, state: measures.windowState(0) } as const;
    const part = { variant: "up_to", entry: prepared.to + 1 } as const;
    const plan = await planCompaction(snapshot, part, planOptions(this.#parts, planning));
    const composing = { surroundings: host, filesRead: outlet.filesRead(), cleanText: options.cleanText };
    const isSame = !("kind" in plan) && plan.range.to <= prepared.to;
    const view = isSame ? await composeView({ text: payload.text }, plan, composing) : undefined;
    if (!isSame || view === undefined) {
      const because = "kind" in plan ? plan.why : "with it, the view would not be smaller by enough";
      await state.inOrder(() => ahead.dropNow({ reason: "too-large", because }));
      return undefined;
    }
    const { form, met, attempts, problem, instructions } = payload;
    const { entry, calls, priceUsd } = prepared;
    return this.#install(run, plan, {
      view,
      summary: { way: "prepared", form, met },
      attempts,
      problem,
      breaker: CLOSED,
      spent: { calls: 0, priceUsd: 0, time: "left" },
      ...(instructions === undefined ? {} : { instructions }),
      prepared: { entry, calls, priceUsd },
    });
  }

  /** Runs the hooks, plans, asks for a summary, and installs the boundary. */
  async #summarize(run: Run): Promise<EndedCompaction> {
    const { id, policy, options, ports, measures, outlet, forks } = this.#parts;
    const { compaction, snapshot, origin, signal } = run;
    const { trigger, reason } = origin;
    const { compact, notes } = policy.current;
    const customInstructions = run.options.instructions ?? "";
    const before = await ports.runHooks("PreCompact", { sessionId: id, trigger, customInstructions }, { signal });
    if (before.blocked !== undefined) {
      const why = `a hook blocked it: ${before.blocked.reason}`;
      return { outcome: { kind: "nothing", cause: "blocked", why } };
    }
    ports.emit({ kind: "compaction-progressed", compaction, phase: "gathering" });
    const host = withTimeout(options.surroundings ?? {}, { clock: ports.clock, signal });
    const [todos, head] = await Promise.all([host.todos?.(), host.head?.()]);
    const window = measures.windowState(0);
    const planning = planOptions(this.#parts, { trigger, moment: "before-request", todos, head, state: window });
    const mayUseNotes = trigger === "auto" && notes !== undefined;
    const byNotes = mayUseNotes ? await this.#planByNotes(snapshot, planning, host) : undefined;
    if (byNotes?.kind === "ready") return this.#install(run, byNotes.plan, byNotes.ready);
    const part = partOf(run.options) ?? this.#partByPolicy(run, planning.state);
    if (part === undefined) return { outcome: NOTHING_BY_POLICY };
    const plan = await planCompaction(snapshot, part, planning);
    if ("kind" in plan) return { outcome: plan };
    const said = [mergeInstructions(customInstructions, before), proposalText(proposalIn(window))];
    const merged = said.filter((text) => text !== undefined).join("\n\n");
    const { text: instructions } = leaveRoom(merged, measures.budget().windowTokens);
    const asked = await askForSummary(plan, this.#parts, {
      summary: compact.summary,
      limits: { ...this.#limits, deadlineMs: Math.max(0, run.endsAtMs - ports.clock.now()) },
      callsBefore: snapshot.carriedState.calls,
      source: COMPACTION_SOURCE,
      forks,
      filesRead: outlet.filesRead(),
      trigger,
      reason,
      signal,
      instructions,
      onProgress: (receivedCharacters) =>
        ports.emit({ kind: "compaction-progressed", compaction, phase: "summarizing", receivedCharacters }),
    });
    policy.count([SUMMARY_RULE], asked.failures);
    if (signal.aborted || asked.kind === "aborted") return { outcome: { kind: "aborted" } };
    if (asked.kind === "none") {
      policy.count([], plan.failures);
      return withoutView(plan, asked);
    }
    const earlier = byNotes === undefined ? [] : [{ way: "notes" as const, why: byNotes.why }];
    const custom = instructions === "" ? {} : { instructions };
    const attempts = [...earlier, ...asked.ready.attempts];
    return this.#install(run, plan, { ...asked.ready, ...custom, attempts });
  }

  #partByPolicy({ snapshot }: Run, state: WindowState): CompactionPart | undefined {
    const { policy } = this.#parts;
    const { value, failure } = partByPolicy(policy.current, snapshot, state);
    policy.countCall(RANGE_RULE, failure);
    return value;
  }

  /** Uses the notes as the summary: no model is asked, and content that the notes do not cover stays as it is. */
  async #planByNotes(snapshot: Snapshot, planning: PlanOptions, host: Surroundings) {
    const { ports, notes, outlet, options } = this.#parts;
    const planned = await notes.planCompaction(snapshot);
    const declined = (cause: DeclinedCause, why: string) => {
      ports.emit({ kind: "notes-compaction-declined", reason: cause });
      return { kind: "declined", why } as const;
    };
    if (planned.kind === "declined") return declined(planned.cause, planned.reason);
    const plan = await planCompaction(snapshot, { variant: "up_to", entry: planned.from }, planning);
    if ("kind" in plan) return declined("nothing-to-compact", plan.why);
    const { cleanText } = options;
    const composing = { surroundings: host, filesRead: outlet.filesRead(), cleanText };
    const view = await composeView({ text: planned.summary }, plan, composing);
    if (view === undefined) return declined("too-large", "with the notes, the view would not be smaller by enough");
    const { breaker } = snapshot.carriedState;
    const spent = { calls: 0, priceUsd: 0, time: "left" } as const;
    const summary = { way: "notes", form: "notes", met: true } as const;
    const ready: ReadyView = { view, summary, attempts: [], breaker, spent, problem: undefined };
    return { kind: "ready", plan, ready } as const;
  }

  async #install({ origin }: Run, plan: CompactionPlan, ready: ReadyView): Promise<EndedCompaction> {
    const { state, policy, ahead } = this.#parts;
    policy.count(
      plan.keep.map(({ name }) => name),
      ready.view.failures,
    );
    const { before, outcome } = await state.inOrder(async () => {
      const { prepared } = state.carriedState;
      return { before: prepared, outcome: await installBoundary(plan, ready, { state, policy, origin }) };
    });
    if (outcome.kind === "compacted" && ready.prepared === undefined) ahead.tellCompacted(before);
    if (outcome.kind === "compacted") await this.#afterwards(outcome, ready, plan.snapshot.carriedState.breaker);
    const { view, spent, problem } = ready;
    return { outcome, text: view.text, used: spent.used, problem };
  }

  /** Emits what came back into view, and runs the hooks after a compaction. */
  async #afterwards(
    { trigger, tokensBefore, tokensAfter }: CompactionRecord,
    { view, breaker }: ReadyView,
    before: BreakerState,
  ): Promise<void> {
    const { id, state, ports, inlet, measures } = this.#parts;
    ports.emit({ kind: "files-restored", ...view.files, parts: view.parts });
    // A breaker that was open before has not opened now.
    if (breaker.kind === "open" && breaker !== before) this.#emitTripped("compaction", breaker);
    const report = { sessionId: id, trigger, summary: view.text, tokensBefore, tokensAfter };
    await ports.runHooks("PostCompact", report, {});
    const results = await ports.runHooks("SessionStart", { sessionId: id, source: "compact" }, {});
    const started = startContents(results, measures.budget().windowTokens);
    if (started.length > 0) await state.inOrder(() => inlet.append(started));
  }

  /** Records a compaction that failed. A compaction that only saves money is then not tried again at the next request. */
  async #recordFailure({ origin, snapshot }: Run, ended: EndedCompaction): Promise<EndedCompaction> {
    const { state } = this.#parts;
    const { trigger, reason } = origin;
    const { outcome, spentInVain } = ended;
    if (outcome.kind === "compacted" || outcome.kind === "aborted") return ended;
    if (outcome.kind === "nothing" && (!isOptional(reason) || outcome.cause === "overtaken")) return ended;
    const failure = outcome.kind === "failed" ? outcome.failure : "declined";
    await state.inOrder(async () => {
      const calls = spentInVain && callsOfTurn(snapshot, spentInVain, state.carriedState);
      const attempt: AttemptPayload = { trigger, reason, failure, why: outcome.why, calls };
      await state.append([toDraft("attempt", attempt)]);
    });
    const { breaker, economicBreaker } = state.carriedState;
    if (!isOptional(reason)) {
      if (breaker.kind === "open") this.#emitTripped("compaction", breaker);
      return ended;
    }
    this.#emitTripped("economic-compaction", economicBreaker);
    const retryMs = retryAtMs(economicBreaker, ECONOMIC_BREAKER);
    return retryMs === undefined ? ended : { ...ended, outcome: { ...outcome, retryAtMs: retryMs } };
  }

  #emitTripped(of: "compaction" | "economic-compaction", breaker: BreakerState): void {
    const retryMs = retryAtMs(breaker, of === "compaction" ? WINDOW_BREAKER : ECONOMIC_BREAKER);
    this.#parts.ports.emit({ kind: "breaker-tripped", of, failures: breaker.failures, retryAtMs: retryMs });
  }
}

/** The instruction for the summary that follows from a proposal of the model. */
function proposalText(proposal: CompactProposal | undefined): string | undefined {
  if (proposal === undefined) return undefined;
  const { next, keep } = proposal;
  const kept = keep.length === 0 ? [] : ["Keep what it named:", ...keep.map((one) => `- ${one}`)];
  return [`The assistant proposed this compaction. Its next work: ${next}`, ...kept].join("\n");
}

/** The outcome of a compaction for which no view was composed. */
function withoutView(
  plan: CompactionPlan,
  { failure, why, spent }: Extract<AskedSummary, { kind: "none" }>,
): EndedCompaction {
  const costs = { used: spent.used, spentInVain: spent };
  if (failure !== "too-large") return { outcome: { kind: "failed", failure, why }, ...costs };
  return { outcome: isSmall(plan) ? TOO_SMALL : { kind: "failed", failure, why: tooLarge(plan) }, ...costs };
}

/** Whoever listens is told of a compaction without a good summary. */
function degradedBy(compaction: string, { outcome, problem }: EndedCompaction): CompactionDegraded | undefined {
  if (outcome.kind !== "compacted" || problem === undefined) return undefined;
  const { attempts, summary: record } = outcome;
  const summary = record.way === "none" ? "none" : "unmet";
  return { kind: "compaction-degraded", compaction, summary, ...problem, attempts };
}

const ABORTED: CompactionOutcome = { kind: "aborted" };

const NOT_APPROVED: DecisionOutcome = { kind: "declined", because: "the user did not approve it" };

/** The outcome of a compaction, as the outcome of the decision to compact. */
function decisionOutcome(outcome: CompactionOutcome): DecisionOutcome {
  switch (outcome.kind) {
    case "compacted":
      return { kind: "done" };
    case "nothing":
      return { kind: "declined", because: outcome.why };
    case "failed":
      return { kind: "failed", because: outcome.why };
    case "aborted":
      return { kind: "failed", because: "it was aborted" };
  }
}

/** Whoever waits for a turn that is not theirs yet need not wait for its end. */
function abortedBefore(turn: Promise<unknown>, signal: AbortSignal): Promise<CompactionOutcome> {
  return new Promise((resolve) => {
    const abort = (): void => resolve(ABORTED);
    signal.addEventListener("abort", abort, { once: true });
    turn.finally(() => signal.removeEventListener("abort", abort));
  });
}

function originOf(cause: CompactionCause): CompactionOrigin {
  if (cause.trigger === "manual") return { trigger: "manual", reason: "asked" };
  const { reason, overrides } = cause.forecast;
  return { trigger: cause.trigger, reason, overrides, decided: cause.trigger === "auto" ? cause.decided : undefined };
}

/** The part that the caller names. Undefined: the policy chooses. */
function partOf({ from, upTo }: CompactOptions): CompactionPart | undefined {
  if (from !== undefined && upTo !== undefined) {
    throw new InvalidOptionError("from and upTo", [from, upTo], "given one at a time");
  }
  if (from !== undefined) return { variant: "from", entry: from };
  return upTo === undefined ? undefined : { variant: "up_to", entry: upTo };
}

const NOTHING_BY_POLICY: CompactionOutcome = {
  kind: "nothing",
  cause: "nothing-to-compact",
  why: "the range rule of the policy leaves everything in place",
};

const TOO_SMALL: CompactionOutcome = {
  kind: "nothing",
  cause: "too-small",
  why: "the conversation is too small for a summary to be smaller by enough",
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
    "Shorten the system prompt or the head, offer fewer tools, or use a model with a larger window"
  );
}

function heldUntil({ by }: Hold): CompactionAnnounced["when"] {
  return by === "restored" ? "when-full" : "after-next-message";
}

// ------------------------------------------------------------------------------------------------ reports

/** How it ended, in the words of the event that tells it. */
export function reportOutcome({ outcome, text = "", used }: EndedCompaction): CompactionEnded["outcome"] {
  const usage = used === undefined ? {} : { used };
  switch (outcome.kind) {
    case "compacted": {
      const { summary, tokensBefore, tokensAfter } = outcome;
      return { kind: "compacted", summary, tokensBefore, tokensAfter, text, ...usage };
    }
    case "nothing": {
      const { cause, why, retryAtMs: retryMs } = outcome;
      return { kind: "declined", reason: cause, why, retryAtMs: retryMs };
    }
    case "aborted":
      return { kind: "failed", failure: "aborted", why: "it was aborted", ...usage };
    case "failed": {
      const { failure, why, retryAtMs: retryMs } = outcome;
      const retry = retryMs === undefined ? {} : { retryAtMs: retryMs };
      return { kind: "failed", failure: reportFailure(failure), why, ...retry, ...usage };
    }
  }
}

function reportFailure(failure: CompactionFailure): SummaryFailure {
  switch (failure) {
    case "api-error":
      return "api_error";
    case "no-summary":
    case "declined":
      return "no_summary";
    case "prompt-too-long":
    case "too-large":
      return "prompt_too_long";
  }
}

// ------------------------------------------------------------------------------------------------ why a compaction waits, and what it is expected to do

/** The name of the reader that says up to where the user has been told that a compaction is coming. */
export const ANNOUNCED = "compaction-announced";

export interface HoldQuestion {
  readonly carriedState: CarriedState;
  readonly attendance: Attendance;
  readonly nowMs: number;
}

/** Returns why a compaction that only saves money must wait. A compaction that the window requires is not held. */
export function holdOf({ carriedState, attendance, nowMs }: HoldQuestion): Hold | undefined {
  const restored = carriedState.takenBack.at(-1);
  if (restored !== undefined) return { by: "restored", since: restored.at };
  if (isHeldSinceOpening(carriedState, attendance)) return { by: "opened" };
  const { economicBreaker, userMessages } = carriedState;
  if (mayTry(economicBreaker, { nowMs, userMessages, viewChangedAt: 0 }, ECONOMIC_BREAKER)) return undefined;
  return { by: "failed", retryAtMs: retryAtMs(economicBreaker, ECONOMIC_BREAKER) ?? nowMs };
}

/** The outcome of a decision to compact that has to wait. */
export function heldOutcome(hold: Hold | undefined): DecisionOutcome {
  return { kind: "held", because: hold === undefined ? "it has to wait" : HELD[hold.by] };
}

/** Whether the user has been told about a compaction that waits. Each reason is told once. */
export function isTold(hold: Hold, { carriedState, attendance }: HoldQuestion): boolean {
  if (hold.by === "failed") return true;
  return announcedAt(carriedState) > (hold.by === "restored" ? hold.since : attendance.openedAt);
}

function announcedAt({ readers }: CarriedState): number {
  return readers[ANNOUNCED] ?? 0;
}

/** A person must be told before they speak. Where nobody is, one announcement is enough. */
function isHeldSinceOpening(carriedState: CarriedState, { kind, openedAt }: Attendance): boolean {
  if (openedAt === 0) return false;
  const announced = announcedAt(carriedState);
  if (kind === "unattended") return announced === 0;
  return announced <= openedAt || carriedState.spokenAt <= announced;
}

/** What a compaction is expected to do, for people. */
export function forecastOf(
  { taken, because }: Pick<Take, "taken" | "because">,
  state: WindowState,
  carriedState: CarriedState,
): CompactionForecast {
  return forecast(reasonOf(taken.proposal.level, state), because, taken.afterTokens, state, carriedState);
}

/** A full window compacts whatever the level of the proposal is. */
function reasonOf(level: Level, state: WindowState): CompactionForecast["reason"] {
  if (level === "required" || isFull(state)) return "window";
  return level === "requested" ? "requested" : "economic";
}

/** The same for a compaction that the provider requires, because it has refused a request. */
export function forecastRefused(
  because: string,
  expectedKeptTokens: number,
  state: WindowState,
  carriedState: CarriedState,
): CompactionForecast {
  const { tokens, headTokens } = state.size;
  const keptTokens = state.history.lastCompaction?.keptTokens ?? Math.min(expectedKeptTokens, Math.floor(tokens * 0.4));
  return forecast("window", because, headTokens + keptTokens, state, carriedState);
}

function forecast(
  reason: CompactionForecast["reason"],
  because: string,
  afterTokens: number,
  { size, prices, window }: WindowState,
  { takenBack }: CarriedState,
): CompactionForecast {
  const expectedTokens = Math.min(size.tokens, afterTokens);
  const savesTokensPerRequest = size.tokens - expectedTokens;
  const { read, usdPerUnit } = prices;
  return {
    reason,
    because,
    tokens: size.tokens,
    windowTokens: window.tokens,
    expectedTokens,
    savesTokensPerRequest,
    savesUsdPerRequest: usdPerUnit === undefined ? undefined : savesTokensPerRequest * read * usdPerUnit,
    overrides: reason === "window" && takenBack.length > 0 ? "restore" : undefined,
  };
}

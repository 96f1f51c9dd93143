import { InvalidOptionError } from "../errors.ts";
import type { Forks } from "../forks/forks.ts";
import { mergeInstructions } from "../hooks/hook.ts";
import { toDraft } from "../log/draft.ts";
import type { AttemptPayload, CompactionRecord } from "../log/payload-compaction.ts";
import type { NotesKeeper } from "../notes/keeper.ts";
import type { DeclinedCause } from "../notes/when.ts";
import type { CompactionAnnounced, CompactionEnded, CompactionForecast } from "../session-event.ts";
import { type BreakerState, ECONOMIC_BREAKER, retryAtMs, WINDOW_BREAKER } from "../state/carried.ts";
import { type SessionCore, startContents } from "../state/core.ts";
import { type Surroundings, withTimeout } from "../state/host-content.ts";
import { leaveRoom } from "../state/limits.ts";
import type { DueCompaction, Hold } from "../state/options.ts";
import type { ContentInlet, Sizes } from "../state/ports.ts";
import { type Snapshot, takeSnapshot } from "../state/state.ts";
import { composeView } from "./compose.ts";
import { type CompactionOrigin, callsOfTurn, installBoundary, type ReadyView } from "./install.ts";
import { type CompactionOutcome, type CompactOptions, type EndedCompaction, reportOutcome } from "./outcome.ts";
import { type CompactionPart, type CompactionPlan, type PlanOptions, planCompaction } from "./plan.ts";
import { type AskedSummary, askForSummary } from "./summarize.ts";
import { ANNOUNCED, announcedAt } from "./when.ts";

/** The parts of a session that compacting needs. */
interface CompactionsParts extends SessionCore {
  readonly inlet: ContentInlet;
  readonly outlet: { filesRead(): ReadonlyMap<string, number> };
  readonly measures: Pick<Sizes, "budget">;
  readonly forks: Pick<Forks, "converse">;
  readonly notes: Pick<NotesKeeper, "planCompaction">;
}

/** Who asks for a compaction, and the forecast if the policy or the provider asks. */
type CompactionCause =
  | { readonly trigger: "manual" }
  | { readonly trigger: "auto" | "reactive"; readonly forecast: CompactionForecast };

/** The compaction that is running. */
interface Run {
  /** The name of the compaction in events. */
  readonly compaction: string;
  readonly snapshot: Snapshot;
  readonly origin: CompactionOrigin;
  readonly options: CompactOptions;
  readonly signal: AbortSignal;
}

/** The one way to a compaction, whoever asks for it. Compactions run one after another, beside the session. */
export class Compactions {
  readonly #parts: CompactionsParts;
  #tail: Promise<unknown> = Promise.resolve();
  /** The number of user messages when the user was last asked, or could not be asked. */
  #askedAtMessage: number | undefined;

  constructor(parts: CompactionsParts) {
    this.#parts = parts;
  }

  compact(cause: CompactionCause, options: CompactOptions = {}): Promise<CompactionOutcome> {
    const { signal } = options;
    const waited = this.#tail;
    const result = waited.then(() => (signal?.aborted ? ABORTED : this.#run(cause, options)));
    this.#tail = result.catch(() => undefined);
    return signal === undefined ? result : Promise.race([result, abortedBefore(waited, signal)]);
  }

  /** A compaction is due before a request: announces it, asks the user, or compacts, as the settings say. */
  async beforeRequest({ forecast, hold }: DueCompaction, options: Pick<CompactOptions, "signal">): Promise<void> {
    const isAsked = this.#parts.settings.current["compaction.auto"] === "ask";
    // A user who is asked needs no announcement. A compaction that the user took back is not asked about again.
    if (hold !== undefined && !(isAsked && hold.by === "opened")) return this.#announce(forecast, heldUntil(hold));
    if (!isAsked) await this.announceFirst(forecast);
    else if (!(await this.#mayCompact(forecast, options.signal))) return;
    await this.compact({ trigger: "auto", forecast }, options);
  }

  /** Announces the first compaction after the session was opened, unless the user asked for it. */
  async announceFirst(forecast: CompactionForecast): Promise<void> {
    const { state, attendance } = this.#parts;
    if (announcedAt(state.carriedState) <= attendance.openedAt) await this.#announce(forecast, "now");
  }

  async #announce(forecast: CompactionForecast, when: CompactionAnnounced["when"]): Promise<void> {
    const { state, ports } = this.#parts;
    ports.emit({ kind: "compaction-announced", ...forecast, when });
    await state.inOrder(() => state.append([toDraft("mark", { name: ANNOUNCED, coveredTo: state.newestEntry })]));
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
    const { id, state, settings, measures, ports } = this.#parts;
    if (settings.current["compaction.enabled"] === "off")
      return { kind: "nothing", cause: "switched-off", why: "compaction.enabled is off" };
    const signal = options.signal === undefined ? ports.signal : AbortSignal.any([ports.signal, options.signal]);
    // The session continues meanwhile: content that is appended now stays behind the summary.
    const snapshot = await state.inOrder(async () => takeSnapshot(state, measures.budget()));
    const compaction = `${id}:${snapshot.newestEntry}`;
    const { boundaries, turns } = snapshot.carriedState.chain;
    const run: Run = { compaction, snapshot, origin: originOf(cause), options, signal };
    ports.emit({
      kind: "compaction-started",
      compaction,
      ...run.origin,
      tokensBefore: snapshot.sizeTokens,
      earlierCompactions: boundaries,
      ...(boundaries === 0 ? {} : { turnsSincePrevious: turns }),
    });
    let outcome: CompactionEnded["outcome"] = { kind: "failed", failure: "no_summary", why: "it ended by an error" };
    try {
      const ended = await this.#recordFailure(run, await this.#compact(run));
      outcome = reportOutcome(ended);
      return ended.outcome;
    } finally {
      ports.emit({ kind: "compaction-ended", compaction, reason: run.origin.reason, outcome });
    }
  }

  /** Runs the hooks, plans, asks for a summary, and installs the boundary. */
  async #compact(run: Run): Promise<EndedCompaction> {
    const { id, state, settings, options, ports, measures, outlet, forks, attendance } = this.#parts;
    const { compaction, snapshot, origin, signal } = run;
    const { trigger, reason } = origin;
    const now = settings.current;
    const customInstructions = run.options.instructions ?? "";
    const before = await ports.runHooks("PreCompact", { sessionId: id, trigger, customInstructions }, { signal });
    if (before.blocked !== undefined) {
      const why = `a hook blocked it: ${before.blocked.reason}`;
      return { outcome: { kind: "nothing", cause: "blocked", why } };
    }
    ports.emit({ kind: "compaction-progressed", compaction, phase: "gathering" });
    const host = withTimeout(options.surroundings ?? {}, { clock: ports.clock, signal });
    const [todos, head] = await Promise.all([host.todos?.(), host.head?.()]);
    const planning = { log: state.log, settings: now, trigger, attendance: attendance.kind, todos, head };
    const mayUseNotes = trigger === "auto" && now["compaction.notes"] === "on";
    const byNotes = mayUseNotes ? await this.#planByNotes(snapshot, planning, host) : undefined;
    if (byNotes?.kind === "ready") return this.#install(byNotes.plan, byNotes.ready, origin);
    const plan = await planCompaction(snapshot, partOf(run.options), planning);
    if ("kind" in plan) return { outcome: plan };
    const merged = mergeInstructions(customInstructions, before) ?? "";
    const { text: instructions } = leaveRoom(merged, measures.budget().windowTokens);
    const asked = await askForSummary(plan, this.#parts, {
      forks,
      settings: now,
      filesRead: outlet.filesRead(),
      trigger,
      reason,
      signal,
      instructions,
      onProgress: (receivedCharacters) =>
        ports.emit({ kind: "compaction-progressed", compaction, phase: "summarizing", receivedCharacters }),
    });
    if (signal.aborted || asked.kind === "aborted") return { outcome: { kind: "aborted" } };
    if (asked.kind === "none") return withoutView(plan, asked);
    const earlier = byNotes === undefined ? [] : [{ rung: "notes" as const, why: byNotes.why }];
    const custom = instructions === "" ? {} : { instructions };
    const declined = [...earlier, ...asked.ready.declined];
    return this.#install(plan, { ...asked.ready, ...custom, declined }, origin);
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
    const composing = { settings: planning.settings, surroundings: host, filesRead: outlet.filesRead(), cleanText };
    const view = await composeView({ text: planned.summary }, plan, composing);
    if (view === undefined) return declined("too-large", "with the notes, the view would not be smaller by enough");
    const { breaker } = snapshot.carriedState;
    const spent = { calls: 0, priceUsd: 0, time: "left" } as const;
    const ready: ReadyView = { view, rung: "notes", declined: [], breaker, spent };
    return { kind: "ready", plan, ready } as const;
  }

  async #install(plan: CompactionPlan, ready: ReadyView, origin: CompactionOrigin): Promise<EndedCompaction> {
    const { state } = this.#parts;
    const outcome = await state.inOrder(() => installBoundary(plan, ready, { state, origin }));
    if (outcome.kind === "compacted") await this.#afterwards(outcome, ready, plan.snapshot.carriedState.breaker);
    const { view, spent, withoutSummary } = ready;
    return { outcome, summary: view.text, used: spent.used, withoutSummary };
  }

  /** Emits what came back into view, and runs the hooks after a compaction. */
  async #afterwards(
    { trigger, tokensBefore, tokensAfter }: CompactionRecord,
    { view, breaker }: ReadyView,
    before: BreakerState,
  ): Promise<void> {
    const { id, state, ports, inlet, measures } = this.#parts;
    ports.emit({ kind: "files-restored", ...view.files, parts: view.putBack });
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
    if (outcome.kind === "nothing" && (reason !== "economic" || outcome.cause === "overtaken")) return ended;
    const failure = outcome.kind === "failed" ? outcome.failure : "declined";
    await state.inOrder(async () => {
      const calls = spentInVain && callsOfTurn(snapshot, spentInVain, state.carriedState);
      const attempt: AttemptPayload = { trigger, reason, failure, why: outcome.why, calls };
      await state.append([toDraft("attempt", attempt)]);
    });
    const { breaker, economicBreaker } = state.carriedState;
    if (reason !== "economic") {
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

/** The outcome of a compaction for which no view was composed. */
function withoutView(
  plan: CompactionPlan,
  { failure, why, spent }: Extract<AskedSummary, { kind: "none" }>,
): EndedCompaction {
  const costs = { used: spent.used, spentInVain: spent };
  if (failure !== "too-large") return { outcome: { kind: "failed", failure, why }, ...costs };
  return { outcome: isSmall(plan) ? TOO_SMALL : { kind: "failed", failure, why: tooLarge(plan) }, ...costs };
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

function originOf(cause: CompactionCause): CompactionOrigin {
  if (cause.trigger === "manual") return { trigger: "manual", reason: "asked" };
  const { reason, overrides } = cause.forecast;
  return { trigger: cause.trigger, reason, overrides };
}

function partOf({ from, upTo }: CompactOptions): CompactionPart {
  if (from !== undefined && upTo !== undefined) {
    throw new InvalidOptionError("from and upTo", [from, upTo], "given one at a time");
  }
  if (from !== undefined) return { variant: "from", entry: from };
  return upTo === undefined ? { variant: "full" } : { variant: "up_to", entry: upTo };
}

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
    "Shorten the system prompt or the head, offer fewer tools, take back pins, or use a model with a larger window"
  );
}

function heldUntil({ by }: Hold): CompactionAnnounced["when"] {
  return by === "restored" ? "when-full" : "after-next-message";
}

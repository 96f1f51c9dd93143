// Decides about the window before each request: stores large results, then takes the best proposal of the policy, or nothing. Measures
// the view for the decision.

import { type ClearAction, clearResults, createResultIndex, type ResultIndex } from "../clear/clear.ts";
import { forecastOf, forecastRefused, type HoldQuestion, heldOutcome, holdOf, isTold } from "../compact/compaction.ts";
import type { DecisionOutcome } from "../compact/outcome.ts";
import { HOUR_MS, LIFETIME_MS } from "../cost/ledger.ts";
import type { DecisionFigures, EarlierDecision, RequestedEdits } from "../log/payload-compaction.ts";
import { type ByteIndex, createByteIndex, fitBytes } from "../media/media.ts";
import {
  COMPACT_RULE,
  compactionSizes,
  compactsAt,
  type Decision,
  decide,
  earlierDecision,
  isFull,
  type Take,
} from "../policy/decide.ts";
import { decidedBy, figuresOf } from "../policy/explain.ts";
import { isPaused, type RuleFailure, reasonOf } from "../policy/guard.ts";
import type { Level, Pauses, Policy } from "../policy/policy.ts";
import type { CompactionSizes, DecisionHistory, WindowState } from "../policy/window-state.ts";
import type { CompactionForecast } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";
import { type Budget, levelOf, percentLeft } from "../size/budget.ts";
import { type CarriedState, isOptional } from "../state/carried.ts";
import type { SessionCore } from "../state/core.ts";
import { limitsOf, type RequestLimits } from "../state/limits.ts";
import type { DueCompaction, Hold } from "../state/options.ts";
import { policyDrafts } from "../state/policy.ts";
import type { CompactionPoint, SessionSize, Sizes, StageDecision } from "../state/ports.ts";
import { storeOversized } from "../store-results/store.ts";
import { type Configuration, expectedTokens, returningTokens, sizeTokens } from "../view/view.ts";
import { headTokensOf, isKeptWarm, windowStateOf } from "./window.ts";

/** A required action may need another one. Each shrinks the window, so a few are enough. */
const MAX_DECISIONS = 4;
/** The clear rules are asked again once the window has grown by this share, because asking costs time for every result in view. */
const ASK_AGAIN_SHARE = 0.05;

/** A decision about the window, in words and figures. */
export interface ExplainedDecision {
  /**
   * `made`: the newest decision of this session object. `expected`: it has made none since the session was opened, and would decide
   * this now. The log keeps only decisions that changed something: `explain()` and the entries have those.
   */
  readonly status: "made" | "expected";
  /** Undefined for an expected decision. */
  readonly outcome: DecisionOutcome | undefined;
  /** The name of the policy. */
  readonly policy: string;
  readonly atMs: number;
  /** The size of the window when it was decided. */
  readonly tokens: number;
  /** The rule whose proposal was taken. Undefined: nothing was done. */
  readonly rule: string | undefined;
  readonly because: string;
  readonly proposals: readonly ExplainedProposal[];
  /** The rules that threw, or made a proposal that cannot be carried out. */
  readonly failed: readonly RuleFailure[];
}

interface ExplainedProposal {
  readonly rule: string;
  readonly level: Level;
  readonly because: string;
  readonly freesTokens: number;
  readonly tokensAfter: number;
  readonly figures: DecisionFigures;
  /** Why the proposal could not be taken. Undefined: it could be. */
  readonly barred: string | undefined;
}

/** Whether the decision may compact, or may only clear. */
type Compaction = "first" | "not-now";

/** The decisions of a session about its window. */
class WindowDecisions {
  readonly results: ResultIndex = createResultIndex();
  readonly bytes: ByteIndex = createByteIndex();
  readonly #core: SessionCore;
  readonly #limits: () => RequestLimits;
  readonly #sizes: KeptSizes;
  /** The size of the window when the clear rules were last asked. */
  #askedTokens = 0;
  #last: LastDecision | undefined;
  /** The newest decision that changed nothing. The record of the next decision names it. */
  #before: QuietDecision | undefined;

  constructor(core: SessionCore, limits: () => RequestLimits) {
    this.#core = core;
    this.#limits = limits;
    this.#sizes = new KeptSizes(core, limits, () => this.state({ results: "left-out" }));
  }

  /** Explains the newest decision, or what would be decided now. */
  explain(): ExplainedDecision {
    const { policy } = this.#core;
    const state = this.#last?.state ?? this.state({ held: this.#hold()?.by });
    const decision = this.#last?.decision ?? decide(policy.current, state, this.#mayCompact() ? "allowed" : "off");
    return {
      status: this.#last === undefined ? "expected" : "made",
      outcome: this.#last?.outcome,
      policy: policy.current.name,
      atMs: state.nowMs,
      tokens: state.size.tokens,
      rule: decision.kind === "take" ? decision.taken.rule : undefined,
      because: decision.because,
      proposals: decision.weighed.map((one) => ({
        rule: one.rule,
        level: one.proposal.level,
        because: one.proposal.because,
        freesTokens: one.proposal.freesTokens,
        tokensAfter: one.afterTokens,
        figures: figuresOf(one, state.prices),
        barred: one.barred,
      })),
      failed: decision.failed,
    };
  }

  /** Stores, limits media, and clears. Returns the compaction that must come before the request, if one is due. */
  async pass(compaction: Compaction, trigger: "auto" | "manual"): Promise<DueCompaction | undefined> {
    await this.#enter(await this.#store());
    this.bytes.update(this.#core.state.view);
    // Comes first, because a window with too many bytes counts as full.
    await this.#enter(fitBytes(this.bytes, this.#limits().facts.maxRequestBytes));
    return this.#decide(compaction, trigger);
  }

  /** Describes the window as it is now. */
  state({ held, results = "listed" }: StateOptions = {}): WindowState {
    const { state } = this.#core;
    this.results.update(state.view);
    this.bytes.update(state.view);
    return windowStateOf({
      core: this.#core,
      limits: this.#limits(),
      results: this.results,
      listResults: results === "listed",
      totalBytes: this.bytes.totalBytes,
      held,
    });
  }

  async #enter({ drafts, newEvents }: StageDecision): Promise<void> {
    const { state, ports } = this.#core;
    if (drafts.length > 0) await state.append(drafts);
    newEvents.forEach(ports.emit);
  }

  /** Describes the window for the rule of the notes. */
  stateForNotes(notesTokens: number): WindowState {
    const { policy, settings } = this.#core;
    const state = this.state({ held: this.#hold()?.by });
    const compactsAt = settings.current.compaction === "off" ? undefined : compactionSizes(policy.current, state);
    return { ...state, compactsAt, notes: state.notes && { ...state.notes, tokens: notesTokens } };
  }

  /**
   * Describes the window for the rule that prepares summaries. While calls run, the turn is open. A compaction that only saves money
   * is not near while it is held; the user's next message ends the hold of a session that was resumed.
   */
  stateForPreparing(): WindowState {
    const held = this.#hold()?.by;
    const state = this.state({ held, results: "left-out" });
    const { requiredTokens, betweenTurnsTokens, inTurnTokens } = this.#sizes.now();
    const compactsAt = {
      betweenTurnsTokens: held === undefined || held === "opened" ? betweenTurnsTokens : requiredTokens,
      inTurnTokens: held === undefined ? inTurnTokens : requiredTokens,
    };
    const status = state.turn.pendingCalls.length > 0 ? "open" : state.turn.status;
    return { ...state, compactsAt, turn: { ...state.turn, status } };
  }

  #store(): Promise<StageDecision> {
    const { id, ports, state, policy } = this.#core;
    const { budget } = this.#limits();
    return storeOversized({ session: id, view: state.view, policy, files: ports.files, budget });
  }

  async #decide(compaction: Compaction, trigger: "auto" | "manual"): Promise<DueCompaction | undefined> {
    const { policy } = this.#core;
    const mayCompact = compaction === "first" && this.#mayCompact();
    // The pass after a compaction belongs to the same decision.
    if (compaction === "first") this.#last = undefined;
    // The effect of an edit by the provider shows only after its next response.
    const asked = new Set<string>();
    for (let count = 0; count < MAX_DECISIONS; count++) {
      // The state leaves out why a compaction has to wait: such a compaction is announced once (#due). After that, the decision is made
      // again with the reason to wait, so that clearing can win (#clearWhileHeld).
      const state = this.state();
      const rules = without(this.#rulesFor(policy.current, state), asked);
      const decision = this.#take(rules, state, mayCompact);
      if (decision.kind === "nothing") return undefined;
      const { taken } = decision;
      const { action, level } = taken.proposal;
      if (action.kind === "compact") {
        const due = this.#due(decision, state);
        if (due === undefined) await this.#clearWhileHeld(rules, trigger);
        return due;
      }
      const isChanged = await this.#clear(decision, state, trigger);
      this.settle({ kind: "done" });
      if (action.kind === "ask-provider") {
        asked.add(taken.rule);
        if (isChanged && !isFull(state)) return undefined;
      } else if (level !== "required" && level !== "when-full" && count > 0) return undefined;
    }
    return undefined;
  }

  /** The user knows that a compaction is held, and has not sent a message since. Clearing may still pay. */
  async #clearWhileHeld(rules: Policy, trigger: "auto" | "manual"): Promise<void> {
    const hold = this.#hold();
    const state = this.state({ held: hold?.by });
    const decision = this.#take(rules, state, true);
    if (decision.kind === "nothing") this.#last = { decision, state, outcome: { kind: "nothing" } };
    else if (decision.taken.proposal.action.kind === "compact") this.settle(heldOutcome(hold));
    else {
      await this.#clear(decision, state, trigger);
      this.settle({ kind: "done" });
    }
  }

  /** Notes the effect of the newest decision, for `explain` and for the record of the next decision. */
  settle(outcome: DecisionOutcome): void {
    const last = this.#last;
    if (last?.outcome.kind !== "running") return;
    this.#last = { ...last, outcome };
    if (!("because" in outcome)) return;
    const because = `the compaction was ${DID_NOT[outcome.kind]}: ${outcome.because}`;
    this.#before = { because, state: last.state, policy: this.#core.policy.current, compaction: "allowed" };
  }

  /** The policy for this decision: its clear rules are left out if nothing has changed since they were last asked. */
  #rulesFor(policy: Policy, state: WindowState): Policy {
    const { size, cache } = state;
    const hasGrown = size.tokens < this.#askedTokens || size.tokens >= this.#askedTokens * (1 + ASK_AGAIN_SHARE);
    if (cache.status !== "cold" && !isFull(state) && !hasGrown) {
      const { value } = reasonOf({ rule: COMPACT_RULE, where: "when" }, () => policy.compact.when(state), state);
      if (value === undefined) return { ...policy, clear: [] };
    }
    this.#askedTokens = size.tokens;
    return policy;
  }

  #take(policy: Policy, state: WindowState, mayCompact: boolean): Decision {
    const compaction = mayCompact ? "allowed" : "off";
    const decision = decide(policy, state, compaction);
    const { policy: own } = this.#core;
    own.count([COMPACT_RULE, ...policy.clear.map(({ name }) => name)], decision.failed);
    if (decision.kind === "take") this.#last = { decision, state, outcome: { kind: "running" } };
    else {
      // The pass after a compaction asks only the clear rules, so it does not say why the session did not compact.
      if (mayCompact || !this.#mayCompact()) this.#before = { because: decision.because, state, policy, compaction };
      // After an action, the session decides once more before the same request. If that second decision is to do nothing, the action
      // remains the decision to explain.
      this.#last ??= { decision, state, outcome: { kind: "nothing" } };
    }
    return decision;
  }

  /** Describes the newest decision that changed nothing. Only for a record, because finding the expected size takes time. */
  #earlier(): EarlierDecision | undefined {
    const before = this.#before;
    return before && earlierDecision(before.policy, before.state, before.because, before.compaction);
  }

  #mayCompact(): boolean {
    const { state, settings } = this.#core;
    // Right after an undo, the restored content stays until the user's next message, even if the window is full. From then on, only
    // a full window compacts it again (`holdOf`).
    return settings.current.compaction !== "off" && state.carriedState.automatic !== "held";
  }

  /** Carries out a decision to clear. Resolves to false if the session has asked the provider for the same edits before. */
  async #clear(decision: Take, state: WindowState, trigger: "auto" | "manual"): Promise<boolean> {
    const { ports, policy, state: session } = this.#core;
    const { taken } = decision;
    const action = taken.proposal.action as ClearAction;
    const { drafts, count } = clearResults(action, decision, {
      view: session.view,
      results: this.results,
      thinking: this.#limits().rules.thinking,
      prices: state.prices,
      sizeTokens: state.size.tokens,
      before: this.#earlier(),
    });
    if (drafts.length === 0) return false;
    await session.append([...policyDrafts(policy.current, session.carriedState.policy), ...drafts]);
    ports.emit({
      kind: "results-cleared",
      rule: taken.rule,
      by: action.kind === "clear" ? "session" : "provider",
      trigger,
      count,
      tokensFreed: Math.max(0, state.size.tokens - taken.afterTokens),
      because: decision.because,
    });
    return true;
  }

  /** The compaction that a decision asks for. Undefined if a person was told that it is held, and it is held still. */
  #due(decision: Take, state: WindowState): DueCompaction | undefined {
    const forecast = forecastOf(decision, state, this.#core.state.carriedState);
    const hold = isOptional(forecast.reason) ? this.#hold() : undefined;
    if (hold !== undefined && isTold(hold, this.#question())) return undefined;
    const { action } = decision.taken.proposal;
    const by = action.kind === "compact" ? action.by : "none";
    return { forecast, decided: decidedBy(decision, state.prices, this.#earlier()), by, hold };
  }

  #hold(): Hold | undefined {
    return holdOf(this.#question());
  }

  /** What a compaction would do now that the provider requires, because it has refused a request. */
  forecast(because: string): CompactionForecast {
    const { policy, state } = this.#core;
    return forecastRefused(because, policy.current.compact.expect.keptTokens, this.state(), state.carriedState);
  }

  #question(): HoldQuestion {
    const { state, attendance, ports } = this.#core;
    return { carriedState: state.carriedState, attendance, nowMs: ports.clock.now() };
  }

  /** The pauses of the session, with the pause that the next request ends. */
  pauses(): Pauses {
    const { ledger } = this.#core.state;
    const { previous, rhythm } = ledger.sources["main"] ?? {};
    const pauseMs = previous === undefined ? 0 : this.#core.ports.clock.now() - previous.atMs;
    const isMiddle = pauseMs >= LIFETIME_MS["5m"] && pauseMs < HOUR_MS;
    return {
      middle: (rhythm?.middlePauses ?? 0) + (isMiddle ? 1 : 0),
      long: (rhythm?.longPauses ?? 0) + (pauseMs >= HOUR_MS ? 1 : 0),
    };
  }

  /** The size of the next request after the decision that comes before it, and how much of the cached prompt it keeps. */
  preview(cache: "as-it-is" | "cold"): PreviewedRequest {
    const { policy, state: session, fork } = this.#core;
    const tokens = expectedTokens(session.view);
    // A fork makes no decisions about its parent's prompt.
    if (fork !== undefined) return { tokens, keptTokens: Number.POSITIVE_INFINITY };
    const now = this.state({ held: this.#hold()?.by });
    const decision = decide(
      policy.current,
      cache === "cold" ? whenCold(now) : now,
      this.#mayCompact() ? "allowed" : "off",
    );
    if (decision.kind === "nothing") return { tokens, keptTokens: Number.POSITIVE_INFINITY };
    const { afterTokens, proposal } = decision.taken;
    // Decisions count with the padded size.
    const share = afterTokens / Math.max(1, now.size.tokens);
    return { tokens: Math.round(tokens * share), keptTokens: proposal.keepsPrefixTokens };
  }

  /** The size at which the session compacts, and why not earlier. */
  point(): CompactionPoint {
    const { settings } = this.#core;
    const { name: policy } = this.#core.policy.current;
    if (settings.current.compaction === "off") return { kind: "off", policy };
    const approval = settings.current.compaction === "ask" ? "asks" : "automatic";
    const { requiredTokens, betweenTurnsTokens: atTokens, inTurnTokens: withinTurnAtTokens } = this.#sizes.now();
    const full = { atTokens: requiredTokens, approval, policy } as const;
    if (atTokens >= full.atTokens) return { kind: "window", ...full };
    const hold = this.#hold();
    if (hold !== undefined) return { kind: "held", ...full, heldBy: hold.by, thenAtTokens: atTokens };
    return { kind: "economic", atTokens, withinTurnAtTokens, approval, policy };
  }
}

interface LastDecision {
  readonly decision: Decision;
  readonly state: WindowState;
  readonly outcome: DecisionOutcome;
}

const DID_NOT = { held: "held", declined: "declined", failed: "tried and failed" } as const;

/** A decision that changed nothing, with everything that it was made from. */
interface QuietDecision {
  readonly because: string;
  readonly state: WindowState;
  readonly policy: Policy;
  readonly compaction: "allowed" | "off";
}

interface PreviewedRequest {
  readonly tokens: number;
  /** The request begins with this much of the prompt as it was sent. Infinite: with all of it. */
  readonly keptTokens: number;
}

/** The window if the cache had expired. */
function whenCold(state: WindowState): WindowState {
  const { cache } = state;
  if (cache.status !== "warm") return state;
  const segments = cache.segments.map((segment) => ({ ...segment, status: "cold" as const }));
  return { ...state, cache: { ...cache, status: "cold", segments } };
}

interface StateOptions {
  /** Why a compaction that saves money must wait. @default nothing */
  readonly held?: DecisionHistory["held"];
  /** `left-out`: the list of results is empty. For questions that no clear rule is asked. @default "listed" */
  readonly results?: "listed" | "left-out";
}

/** The policy without some of its clear rules. */
function without(policy: Policy, names: ReadonlySet<string>): Policy {
  return names.size === 0 ? policy : { ...policy, clear: policy.clear.filter(({ name }) => !names.has(name)) };
}

// ------------------------------------------------------------------------------------------------ the size of the view, and its limits

interface CachedLimits {
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly limitTokens: number | undefined;
  readonly limits: RequestLimits;
}

/** The size of the view, and the limits that follow from the settings and the model. */
export class Measures implements Sizes {
  readonly decisions: WindowDecisions;
  readonly #core: SessionCore;
  /** The limits of the newest call. They are computed again only if one of their sources changes. */
  #cached: CachedLimits | undefined;

  constructor(core: SessionCore) {
    this.#core = core;
    this.decisions = new WindowDecisions(core, () => this.limits());
  }

  limits(): RequestLimits {
    const { state, ports } = this.#core;
    const settings = this.#core.settings.current;
    const { configuration } = state;
    const { limitTokens } = state.carriedState;
    const cached = this.#cached;
    const isSame =
      cached?.settings === settings && cached.configuration === configuration && cached.limitTokens === limitTokens;
    if (cached !== undefined && isSame) return cached.limits;
    const { model } = configuration;
    const toolSearch = ports.provider.toolSearch?.(model) ?? "own";
    const limits = limitsOf(configuration, ports.facts.of(model), { settings, limitTokens, toolSearch });
    this.#cached = { settings, configuration, limitTokens, limits };
    return limits;
  }

  /** The size of the next request, if it asks the provider for the same edits as the newest request. */
  size(): SessionSize {
    const { edits, deleted } = this.#core.state.view;
    const size = this.sizeWith({ edits, deleted: deleted.length === 0 ? undefined : deleted });
    const compaction = this.decisions.point();
    const limitTokens = compaction.kind === "off" ? size.limitTokens : compaction.atTokens;
    return { ...size, compaction, percentLeft: percentLeft({ limitTokens }, size.tokens) };
  }

  /** The size of a request that asks the provider for these edits. */
  sizeWith(edits: RequestedEdits): Omit<SessionSize, "compaction" | "percentLeft"> {
    const { view } = this.#core.state;
    const tokens = sizeTokens(view) + returningTokens(view, edits);
    const { budget, known } = this.limits();
    return { ...budget, known, tokens, level: levelOf(budget, tokens) };
  }

  budget(): Budget & Pick<SessionSize, "known"> {
    const { budget, known } = this.limits();
    return { ...budget, known };
  }

  forecast(because: string): CompactionForecast {
    return this.decisions.forecast(because);
  }

  windowState(notesTokens: number): WindowState {
    return this.decisions.stateForNotes(notesTokens);
  }

  preparingState(): WindowState {
    return this.decisions.stateForPreparing();
  }
}

// ------------------------------------------------------------------------------------------------ the sizes at which the session compacts

/** The sizes are computed again once the head has changed by this share. */
const HEAD_CHANGE_SHARE = 0.01;

interface SizesNow extends CompactionSizes {
  /** The size at which the policy compacts because the window requires that. */
  readonly requiredTokens: number;
}

/** Everything that the sizes depend on. */
interface Sources {
  readonly policy: Policy;
  readonly rule: "called" | "paused";
  readonly limits: RequestLimits;
  readonly boundary: number;
  readonly userMessages: number;
  readonly takenBack: number;
  readonly marks: CarriedState["marks"];
  /** The lifetime of the cached prompt decides about the price of writing it. */
  readonly lifetimeMs: number | undefined;
  readonly keptWarm: boolean;
}

/** The sizes at which a session compacts. They are computed again only if one of their sources has changed. */
class KeptSizes {
  readonly #core: SessionCore;
  readonly #limits: () => RequestLimits;
  readonly #state: () => WindowState;
  #kept: { readonly sources: Sources; readonly headTokens: number; readonly sizes: SizesNow } | undefined;

  /** @param state describes the window as it is now */
  constructor(core: SessionCore, limits: () => RequestLimits, state: () => WindowState) {
    this.#core = core;
    this.#limits = limits;
    this.#state = state;
  }

  now(): SizesNow {
    const sources = this.#sources();
    const headTokens = headTokensOf(this.#core.state.view);
    const kept = this.#kept;
    if (kept !== undefined && isSame(kept.sources, sources) && isClose(kept.headTokens, headTokens)) return kept.sizes;
    const state = this.#state();
    const requiredTokens = compactsAt(sources.policy, state, "starting", "required");
    const sizes = { ...compactionSizes(sources.policy, state), requiredTokens };
    this.#kept = { sources, headTokens, sizes };
    return sizes;
  }

  #sources(): Sources {
    const { policy, state } = this.#core;
    const limits = this.#limits();
    const { chain, userMessages, takenBack, marks } = state.carriedState;
    return {
      policy: policy.current,
      rule: isPaused(policy, COMPACT_RULE) ? "paused" : "called",
      limits,
      boundary: chain.boundary,
      userMessages,
      takenBack: takenBack.length,
      marks,
      lifetimeMs: state.ledger.sources["main"]?.previous?.lifetimeMs,
      keptWarm: isKeptWarm(this.#core, limits, sizeTokens(state.view)),
    };
  }
}

function isSame(before: Sources, now: Sources): boolean {
  return (Object.keys(now) as (keyof Sources)[]).every((name) => before[name] === now[name]);
}

function isClose(before: number, now: number): boolean {
  return Math.abs(now - before) <= before * HEAD_CHANGE_SHARE;
}

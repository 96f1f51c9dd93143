import { InvalidOptionError } from "../errors.ts";
import type { Forks } from "../forks/forks.ts";
import { mergeInstructions } from "../hooks/hook.ts";
import { toDraft } from "../log/draft.ts";
import type { AttemptPayload, CompactionRecord } from "../log/payload-compaction.ts";
import type { NotesKeeper } from "../notes/keeper.ts";
import type { DeclinedCause } from "../notes/when.ts";
import { present } from "../schema/json-fields.ts";
import type { CompactionAnnounced, CompactionEnded, CompactionForecast } from "../session-event.ts";
import { type BreakerState, ECONOMIC_BREAKER, retryAtMs, WINDOW_BREAKER } from "../state/carried.ts";
import { type SessionContext, startContents } from "../state/context.ts";
import { type Surroundings, withTimeout } from "../state/host-content.ts";
import { leaveRoom } from "../state/limits.ts";
import type { DueCompaction, Hold } from "../state/options.ts";
import type { Contents, Requests } from "../state/ports.ts";
import { type Snapshot, takeSnapshot } from "../state/state.ts";
import { composeView } from "./compose.ts";
import { type CompactionOrigin, callsOfTurn, installBoundary, type ReadyView } from "./install.ts";
import { type CompactionOutcome, type CompactOptions, type EndedCompaction, reportOutcome } from "./outcome.ts";
import { type CompactionPart, type CompactionPlan, type PlanOptions, planCompaction } from "./plan.ts";
import { askForSummary } from "./summarize.ts";
import { ANNOUNCED, announcedAt } from "./when.ts";

interface CompactionsParts {
  readonly contents: Pick<Contents, "append">;
  readonly forks: Pick<Forks<unknown>, "converse">;
  readonly notes: Pick<NotesKeeper, "planCompaction">;
  readonly requests: Pick<Requests, "budget" | "filesRead">;
}

export interface Compactions {
  /** The one way to a compaction, whoever asks for it; one after another. */
  compact(cause: CompactionCause, options?: CompactOptions): Promise<CompactionOutcome>;
}

/** Who asks for a compaction; and what it is expected to do, if nobody but the policy or the provider does. */
type CompactionCause =
  | { readonly trigger: "manual" }
  | { readonly trigger: "auto" | "reactive"; readonly forecast: CompactionForecast };

interface RunOptions extends CompactOptions {
  readonly signal: AbortSignal;
  /** Its name, for whoever is told of it. */
  readonly compaction: string;
}

export function createCompactions(
  context: SessionContext,
  { contents, forks, notes, requests }: CompactionsParts,
): Compactions {
  const { session, options, state, settings, clock, emit, runHooks } = context;
  const attendance = context.attendance.kind;
  let tail: Promise<unknown> = Promise.resolve();

  /** Told of at its beginning and at its end, however it ends. */
  async function run(cause: CompactionCause, wanted: CompactOptions): Promise<CompactionOutcome> {
    if (settings()["compaction.enabled"] === "off")
      return { kind: "nothing", cause: "switched-off", why: "compaction.enabled is off" };
    const signal = wanted.signal === undefined ? context.signal : AbortSignal.any([context.signal, wanted.signal]);
    // The session goes on meanwhile: what is appended stays behind what is folded.
    const snapshot = await state.inOrder(async () => takeSnapshot(state, requests.budget()));
    const compaction = `${session}:${snapshot.newestEntry}`;
    const { boundaries, turns } = snapshot.carriedState.chain;
    const origin = originOf(cause);
    emit({
      kind: "compaction-started",
      compaction,
      ...origin,
      tokensBefore: snapshot.sizeTokens,
      earlierCompactions: boundaries,
      ...(boundaries === 0 ? {} : { turnsSincePrevious: turns }),
    });
    let told: CompactionEnded["outcome"] = { kind: "failed", failure: "no_summary", why: "it ended by an error" };
    try {
      const ended = await settle(await runWith(snapshot, origin, { ...wanted, signal, compaction }), origin, snapshot);
      told = reportOutcome(ended);
      return ended.outcome;
    } finally {
      emit({ kind: "compaction-ended", compaction, reason: origin.reason, outcome: told });
    }
  }

  /** One that only saves money and came to nothing is not tried again at the next request: that it was tried is in the log. */
  async function settle(
    ended: EndedCompaction,
    { trigger, reason }: CompactionOrigin,
    snapshot: Snapshot,
  ): Promise<EndedCompaction> {
    const { outcome, spentInVain } = ended;
    if (outcome.kind === "compacted" || outcome.kind === "aborted") return ended;
    if (outcome.kind === "nothing" && (reason !== "economic" || outcome.cause === "overtaken")) return ended;
    const failure = outcome.kind === "failed" ? outcome.failure : "declined";
    await state.inOrder(async () => {
      const calls = spentInVain && callsOfTurn(snapshot, spentInVain, state.carriedState);
      const attempt: AttemptPayload = { trigger, reason, failure, why: outcome.why, ...present({ calls }) };
      await state.append([toDraft("attempt", attempt)]);
    });
    const { carriedState } = state;
    if (reason !== "economic") {
      if (carriedState.breaker.kind === "open") tripped("compaction", carriedState.breaker);
      return ended;
    }
    tripped("economic-compaction", carriedState.economicBreaker);
    const retryMs = retryAtMs(carriedState.economicBreaker, ECONOMIC_BREAKER);
    return retryMs === undefined ? ended : { ...ended, outcome: { ...outcome, retryAtMs: retryMs } };
  }

  function tripped(of: "compaction" | "economic-compaction", breaker: BreakerState): void {
    const retryMs = retryAtMs(breaker, of === "compaction" ? WINDOW_BREAKER : ECONOMIC_BREAKER);
    emit({
      kind: "breaker-tripped",
      of,
      failures: breaker.failures,
      ...(retryMs === undefined ? {} : { retryAtMs: retryMs }),
    });
  }

  async function runWith(snapshot: Snapshot, origin: CompactionOrigin, wanted: RunOptions): Promise<EndedCompaction> {
    const held = settings();
    const { trigger, reason } = origin;
    const { signal, compaction } = wanted;
    const customInstructions = wanted.instructions ?? "";
    const before = await runHooks("PreCompact", { sessionId: session, trigger, customInstructions }, { signal });
    if (before.blocked !== undefined) {
      const why = `a hook blocked it: ${before.blocked.reason}`;
      return { outcome: { kind: "nothing", cause: "blocked", why } };
    }
    emit({ kind: "compaction-progressed", compaction, phase: "gathering" });
    const host = withTimeout(options.surroundings ?? {}, { clock, signal });
    const [todos, head] = await Promise.all([host.todos?.(), host.head?.()]);
    const planning = { log: state.log, settings: held, trigger, attendance, todos, head };
    const byNotes =
      trigger === "auto" && held["compaction.notes"] === "on" ? await tryNotes(snapshot, planning, host) : undefined;
    if (byNotes?.kind === "ready") return finish(byNotes.plan, byNotes.ready, origin);
    const plan = await planCompaction(snapshot, partOf(wanted), planning);
    if ("kind" in plan) return { outcome: plan };
    const merged = mergeInstructions(customInstructions, before) ?? "";
    const { text: instructions } = leaveRoom(merged, requests.budget().windowTokens);
    const asked = await askForSummary(plan, context, {
      forks,
      settings: held,
      filesRead: requests.filesRead(),
      trigger,
      reason,
      signal,
      instructions,
      onProgress: (receivedCharacters) =>
        emit({ kind: "compaction-progressed", compaction, phase: "summarizing", receivedCharacters }),
    });
    if (signal.aborted || asked.kind === "aborted") return { outcome: { kind: "aborted" } };
    if (asked.kind === "none") {
      const { failure, why, spent } = asked;
      if (failure !== "too-large")
        return { outcome: { kind: "failed", failure, why }, used: spent.used, spentInVain: spent };
      return {
        outcome: isSmall(plan) ? TOO_SMALL : { kind: "failed", failure, why: tooLarge(plan) },
        used: spent.used,
        spentInVain: spent,
      };
    }
    const { ready } = asked;
    const earlier = byNotes === undefined ? [] : [{ rung: "notes" as const, why: byNotes.why }];
    const told = instructions === "" ? {} : { instructions };
    return finish(plan, { ...ready, ...told, declined: [...earlier, ...ready.declined] }, origin);
  }

  async function finish(plan: CompactionPlan, ready: ReadyView, origin: CompactionOrigin): Promise<EndedCompaction> {
    const outcome = await state.inOrder(() => installBoundary(plan, ready, { state, origin }));
    if (outcome.kind === "compacted") await afterwards(outcome, ready, plan.snapshot.carriedState.breaker);
    const { view, spent, withoutSummary } = ready;
    return {
      outcome,
      summary: view.text,
      used: spent.used,
      ...(withoutSummary === undefined ? {} : { withoutSummary }),
    };
  }

  /** The notes as the summary: no model is asked, and what they do not cover stays as it is. */
  async function tryNotes(snapshot: Snapshot, planning: PlanOptions, host: Surroundings) {
    const planned = await notes.planCompaction(snapshot);
    const declined = (cause: DeclinedCause, why: string) => {
      emit({ kind: "notes-compaction-declined", reason: cause });
      return { kind: "declined", why } as const;
    };
    if (planned.kind === "declined") return declined(planned.cause, planned.reason);
    const plan = await planCompaction(snapshot, { variant: "up_to", entry: planned.from }, planning);
    if ("kind" in plan) return declined("nothing-to-compact", plan.why);
    const { cleanText } = options;
    const composing = { settings: planning.settings, surroundings: host, filesRead: requests.filesRead(), cleanText };
    const view = await composeView({ text: planned.summary }, plan, composing);
    if (view === undefined) return declined("too-large", "with the notes, the view would not be smaller by enough");
    const { breaker } = snapshot.carriedState;
    const ready: ReadyView = {
      view,
      rung: "notes",
      declined: [],
      breaker,
      spent: { calls: 0, priceUsd: 0, time: "left" },
    };
    return { kind: "ready", plan, ready } as const;
  }

  async function afterwards(
    { trigger, tokensBefore, tokensAfter }: CompactionRecord,
    { view, breaker }: ReadyView,
    before: BreakerState,
  ): Promise<void> {
    emit({ kind: "files-restored", ...view.files, parts: view.putBack });
    // One that was open already has not opened now.
    if (breaker.kind === "open" && breaker !== before) tripped("compaction", breaker);
    const told = { sessionId: session, trigger, summary: view.text, tokensBefore, tokensAfter };
    await runHooks("PostCompact", told, {});
    const said = await runHooks("SessionStart", { sessionId: session, source: "compact" }, {});
    const started = startContents(said, requests.budget().windowTokens);
    if (started.length > 0) await state.inOrder(() => contents.append(started));
  }

  return {
    compact(cause, wanted = {}) {
      const { signal } = wanted;
      const waited = tail;
      const result = waited.then(() => (signal?.aborted ? ABORTED : run(cause, wanted)));
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

function originOf(cause: CompactionCause): CompactionOrigin {
  if (cause.trigger === "manual") return { trigger: "manual", reason: "asked" };
  const { reason, overrides } = cause.forecast;
  return { trigger: cause.trigger, reason, ...(overrides === undefined ? {} : { overrides }) };
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

export interface AutoCompaction {
  /** A compaction is due before a request: it is announced, asked about or made, as the settings say. */
  beforeRequest(due: DueCompaction, options: Pick<CompactOptions, "signal">): Promise<void>;
  /** Names a compaction that nobody asked for, if it is the first that the user meets since the session was opened. */
  announceFirst(forecast: CompactionForecast): Promise<void>;
}

export function createAutoCompaction(context: SessionContext, compactions: Compactions): AutoCompaction {
  const { state, settings, attendance, emit } = context;
  const { approveCompaction: approve } = context.options;
  /** How many messages the user had sent when they were asked last, or could not be. */
  let askedAtMessage: number | undefined;

  async function announce(forecast: CompactionForecast, when: CompactionAnnounced["when"]): Promise<void> {
    emit({ kind: "compaction-announced", ...forecast, when });
    await state.inOrder(async () => {
      await state.append([toDraft("mark", { name: ANNOUNCED, coveredTo: state.newestEntry })]);
    });
  }

  async function announceFirst(forecast: CompactionForecast): Promise<void> {
    if (announcedAt(state.carriedState) <= attendance.openedAt) await announce(forecast, "now");
  }

  async function mayCompact(
    forecast: CompactionForecast,
    { signal }: Pick<CompactOptions, "signal">,
  ): Promise<boolean> {
    const { userMessages } = state.carriedState;
    // Whoever said "not now" is asked again once they have spoken.
    if (askedAtMessage === userMessages) return false;
    askedAtMessage = userMessages;
    if (approve === undefined) {
      emit({ kind: "compaction-due", ...forecast });
      return false;
    }
    try {
      return (await approve(forecast, signal === undefined ? {} : { signal })) === "compact";
    } catch {
      // No answer is no yes. An aborted turn ends where the request is prepared.
      return false;
    }
  }

  return {
    announceFirst,
    async beforeRequest({ forecast, hold }, how) {
      const isAsked = settings()["compaction.auto"] === "ask";
      // Who is asked need not be told before; but what they took back is not asked about again.
      if (hold !== undefined && !(isAsked && hold.by === "opened")) return announce(forecast, heldUntil(hold));
      if (!isAsked) await announceFirst(forecast);
      else if (!(await mayCompact(forecast, how))) return;
      await compactions.compact({ trigger: "auto", forecast }, how);
    },
  };
}

function heldUntil({ by }: Hold): CompactionAnnounced["when"] {
  return by === "restored" ? "when-full" : "after-next-message";
}

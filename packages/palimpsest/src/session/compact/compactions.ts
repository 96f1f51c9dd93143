import type { Hooks } from "../../hooks/hook.ts";
import { mergeInstructions } from "../../hooks/merge-instructions.ts";
import { InvalidOptionError } from "../../log/invalid-option-error.ts";
import type { AttemptPayload, CompactionRecord, CompactionTrigger } from "../../log/payload.ts";
import { toDraft } from "../../log/to-draft.ts";
import type { DeclinedCause } from "../../notes/keep-calculation.ts";
import type { ModelFacts } from "../../providers/models.ts";
import type { Provider } from "../../providers/provider.ts";
import type { CompactionEnded, Tell, UsedTokens } from "../../session-event.ts";
import type { Settings } from "../../settings/settings.ts";
import type { CompactionPart } from "../../stages/compact/choose-range.ts";
import type { Budget } from "../../tokens/budget.ts";
import type { Clock } from "../clock.ts";
import type { Forks } from "../fork/forks.ts";
import type { SessionNotes } from "../notes/notes.ts";
import { startContents } from "../run-hooks.ts";
import type { SessionState } from "../session-state.ts";
import type { NewContent } from "../to-contents.ts";
import { askForSummary } from "./ask-for-summary.ts";
import type { CompactionOutcome, CompactOptions } from "./compact-options.ts";
import { composeView } from "./compose-view.ts";
import { installBoundary, type ReadyView } from "./install-boundary.ts";
import {
  type CompactionPlan,
  type PlanOptions,
  planCompaction,
  type Snapshot,
  takeSnapshot,
} from "./plan-compaction.ts";
import type { Surroundings } from "./surroundings.ts";
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

export function createCompactions<Request, Response, Message>(
  options: CompactionsOptions<Request, Response, Message>,
): Compactions {
  const { session, state, settings, clock, surroundings, attendance, tell, runHooks } = options;
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
    const host = withinTime(surroundings, { clock, signal });
    const [todos, head] = await Promise.all([host.todos?.(), host.head?.()]);
    const planning = { log: state.log, settings: held, trigger, attendance, todos, head };
    const byNotes =
      trigger === "auto" && held["compaction.notes"] === "on" ? await tryNotes(snapshot, planning, host) : undefined;
    if (byNotes?.kind === "ready") return finish(byNotes.plan, byNotes.ready, trigger);
    const plan = await planCompaction(snapshot, partOf(wanted), planning);
    if ("kind" in plan) return { outcome: { ...plan, cause: "nothing-to-fold" } };
    const instructions = mergeInstructions(customInstructions, before);
    const ready = await askForSummary(plan, {
      ...{ ...options, settings: held, filesRead: options.filesRead(), trigger, signal },
      instructions: instructions ?? "",
      onProgress: (receivedCharacters) =>
        tell({ kind: "compaction-progressed", compaction, phase: "summarising", receivedCharacters }),
    });
    if (signal.aborted) return { outcome: { kind: "aborted" } };
    if (ready === undefined && isSmall(plan)) return { outcome: TOO_SMALL };
    if (ready === undefined) return { outcome: await fail(trigger, tooLarge(plan)) };
    const earlier = byNotes === undefined ? [] : [{ rung: "notes" as const, why: byNotes.why }];
    const told = instructions === undefined || instructions === "" ? {} : { instructions };
    return finish(plan, { ...ready, ...told, declined: [...earlier, ...ready.declined] }, trigger);
  }

  async function finish(plan: CompactionPlan, ready: ReadyView, trigger: CompactionTrigger): Promise<Ended> {
    const outcome = await state.inOrder(() => installBoundary(plan, ready, { state, trigger }));
    if (outcome.kind === "compacted") await afterwards(outcome, ready);
    return { outcome, summary: ready.view.text, used: ready.spent.used };
  }

  /** The notes as the summary: no model is asked, and what they do not cover stays as it is. */
  async function tryNotes(snapshot: Snapshot, planning: PlanOptions, host: Surroundings) {
    const planned = await options.notes.planCompaction(snapshot);
    const declined = (cause: DeclinedCause, why: string) => {
      tell({ kind: "notes-compaction-declined", reason: cause });
      return { kind: "declined", why } as const;
    };
    if (planned.kind === "declined") return declined(planned.cause, planned.reason);
    const plan = await planCompaction(snapshot, { variant: "up_to", entry: planned.from }, planning);
    if ("kind" in plan) return declined("nothing-to-fold", plan.why);
    const composing = { settings: planning.settings, surroundings: host, filesRead: options.filesRead() };
    const view = await composeView({ text: planned.summary }, plan, composing);
    if (view === undefined) return declined("too-large", "with the notes, the view would not be smaller by enough");
    const { breaker } = snapshot.standing;
    const ready: ReadyView = { view, rung: "notes", declined: [], breaker, spent: { calls: 0, priceUsd: 0 } };
    return { kind: "ready", plan, ready } as const;
  }

  async function afterwards(
    { trigger, tokensBefore, tokensAfter }: CompactionRecord,
    { view, breaker }: ReadyView,
  ): Promise<void> {
    tell({ kind: "files-restored", ...view.files });
    if (breaker.kind === "open") tell({ kind: "breaker-tripped", of: "compaction", failures: breaker.failures });
    const told = { sessionId: session, trigger, summary: view.text, tokensBefore, tokensAfter };
    await runHooks("PostCompact", told, {});
    const started = startContents(await runHooks("SessionStart", { sessionId: session, source: "compact" }, {}));
    if (started.length > 0) await options.append(started);
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

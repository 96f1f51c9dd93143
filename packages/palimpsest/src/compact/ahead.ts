// Summaries that a model writes before a compaction needs them: when a call begins, when its result is ready, and what makes the
// result unusable. README.md explains the rules.

import type { Forks } from "../forks/forks.ts";
import { mergeInstructions } from "../hooks/hook.ts";
import { type Draft, readPayload, toDraft } from "../log/entry.ts";
import type {
  CompactionFailure,
  PreparedDropReason,
  PreparedPayload,
  PreparedState,
} from "../log/payload-compaction.ts";
import { compactProposal } from "../policy/decide.ts";
import { RANGE_RULE, SUMMARY_RULE, startReason } from "../policy/guard.ts";
import type { PreparedSummary } from "../policy/window-state.ts";
import { estimateTokens } from "../size/calibration.ts";
import {
  type CarriedState,
  ECONOMIC_BREAKER,
  isOptional,
  mayTry,
  PREPARE_SOURCE,
  retryAtMs,
} from "../state/carried.ts";
import type { SessionCore } from "../state/core.ts";
import { withTimeout } from "../state/host-content.ts";
import { leaveRoom } from "../state/limits.ts";
import type { DueCompaction } from "../state/options.ts";
import type { Sizes } from "../state/ports.ts";
import { takeSnapshot } from "../state/state.ts";
import { grouped } from "../text.ts";
import type { View } from "../view/view.ts";
import { partByPolicy, planCompaction } from "./plan.ts";
import { askForText, asSummary, FAILURES, formKeyOf, planOptions } from "./summarize.ts";
import type { CallLimits, Spent } from "./summary/model-calls.ts";

type Written = Extract<PreparedPayload, { step: "written" }>;

/** A prepared summary with its text. */
export interface ReadyText {
  readonly state: PreparedState;
  readonly payload: Written;
}

/** The parts of a session that preparing summaries needs. */
interface AheadParts extends SessionCore {
  readonly measures: Pick<Sizes, "budget" | "preparingState">;
  readonly forks: Pick<Forks, "converse">;
}

interface Drop {
  readonly reason: PreparedDropReason;
  readonly because: string;
}

/** A call that writes a summary while nobody waits. */
interface Preparation {
  installs: PreparedState["installs"];
  readonly because: string;
  /** Ends the call. */
  readonly over: AbortController;
  /** The newest entry when the call began. The summary covers nothing after it. */
  seenTo: number;
  receivedCharacters: number;
  /** The session when the call began. */
  readonly before: CarriedState;
  /** Why the result will not be used. Undefined: so far, it will be. */
  drop: Drop | undefined;
  done: Promise<void>;
}

/** A change of the conversation, or of what it is needed for. */
interface Change extends Drop {
  /** The entries whose content changes. @default all */
  readonly range?: { readonly from: number; readonly to: number };
}

/** What a change does to the prepared summary: entries for the batch of the change, and what to do once they are in the log. */
interface Consequences {
  readonly drafts: readonly Draft[];
  tell(): void;
}

/** The outcome of a call. */
type Outcome =
  | { readonly kind: "written"; readonly payload: Written; readonly spent: Spent }
  | { readonly kind: "aborted"; readonly spent?: Spent }
  | {
      readonly kind: "failed";
      readonly reason: "blocked" | "failed";
      readonly failure: CompactionFailure;
      readonly because: string;
      readonly spent?: Spent;
    };

/** The summaries of a session that are written ahead of time: at most one at a time, and at most one that waits to be installed. */
export class Ahead {
  readonly #parts: AheadParts;
  readonly #limits: CallLimits;
  #running: Preparation | undefined;
  /** Why a compaction is due that nobody waits for. Its call begins after the next response, because the cache is cold. */
  #due: string | undefined;

  constructor(parts: AheadParts, limits: CallLimits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  /** Begins a call if a compaction is near. A session goes on without it, and its errors are no errors of the session. */
  afterResponse(): void {
    if (this.#isIdle()) this.#beginIfNear().catch(() => undefined);
  }

  /**
   * Whether the window is sent as it is, although a compaction is due: it only saves money, and the policy lets nobody wait for that.
   * Its summary is written meanwhile.
   */
  defers({ forecast, by, hold }: DueCompaction): boolean {
    const { policy, measures } = this.#parts;
    if (policy.current.compact.patience === "wait" || !isOptional(forecast.reason) || hold !== undefined) return false;
    if (by !== "summary" || !this.#mayPrepare()) return false;
    if (this.#running !== undefined) this.#running.installs = "at-once";
    // A fork that reads a cold cache pays for the whole prompt. The next response leaves the prompt in the cache.
    else if (measures.preparingState().cache.status === "warm") this.#begin("at-once", forecast.because);
    else this.#due = forecast.because;
    return true;
  }

  /** Resolves when no summary is being written. A call that is still running at `endsAtMs` is cancelled. */
  async settled(
    signal: AbortSignal,
    endsAtMs: number,
    onProgress: (receivedCharacters: number) => void,
  ): Promise<void> {
    const running = this.#running;
    if (running === undefined || signal.aborted) return;
    const { clock } = this.#parts.ports;
    const beganMs = clock.now();
    const over = new AbortController();
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true, signal: over.signal });
    });
    let state: "running" | "ended" = "running";
    const ended = Promise.race([running.done, aborted]).then(() => {
      state = "ended";
      over.abort();
    });
    while (state === "running") {
      onProgress(running.receivedCharacters);
      if (clock.now() >= endsAtMs) {
        const because = `a compaction had waited ${Math.round((clock.now() - beganMs) / 1_000)} s for it`;
        this.cancel({ reason: "failed", because });
        await ended;
        return;
      }
      await Promise.race([ended, clock.wait(PROGRESS_MS, over.signal)]);
    }
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The prepared summary that a compaction can install, with its text. Drops one that cannot be used. In order. */
  async ready(): Promise<ReadyText | undefined> {
    await this.review();
    const { state } = this.#parts;
    const { prepared } = state.carriedState;
    if (prepared === undefined) return undefined;
    const [entry] = await state.log.read(prepared.entry, prepared.entry);
    const read = entry && readPayload(entry);
    if (read?.kind === "prepared" && read.payload.step === "written") return { state: prepared, payload: read.payload };
    await this.dropNow({
      reason: "content-changed",
      because: `entry ${prepared.entry}, which has its text, was erased`,
    });
    return undefined;
  }

  /** Drops a summary that the policy or its age makes unusable. In order. */
  async review(): Promise<void> {
    const { prepared } = this.#parts.state.carriedState;
    if (prepared === undefined || this.#parts.fork !== undefined) return;
    const problem = problemOf(prepared, this.#parts);
    if (problem !== undefined) await this.dropNow(problem);
  }

  /** Drops the summary that waits to be installed. In order. */
  async dropNow(drop: Drop): Promise<void> {
    const { drafts, tell } = this.#consequences(this.#parts.state.carriedState.prepared, drop);
    if (drafts.length > 0) await this.#parts.state.append(drafts);
    tell();
  }

  /** What a change of the conversation does to a prepared summary, and to one that is being written. In order. */
  after({ range, reason, because }: Change): Consequences {
    const { prepared } = this.#parts.state.carriedState;
    const changes = (from: number, to: number): boolean =>
      range === undefined || (range.from <= to && range.to >= from);
    if (this.#running !== undefined && changes(0, this.#running.seenTo)) this.cancel({ reason, because });
    const isChanged = prepared !== undefined && changes(prepared.from, prepared.to);
    return this.#consequences(isChanged ? prepared : undefined, { reason, because });
  }

  /** What a rewind does. A summary of content that the rewind leaves as it is can still be used. In order. */
  afterRewind(to: number): Pick<Consequences, "tell"> & { readonly prepared: PreparedState | undefined } {
    const because = `the session went back to entry ${to}`;
    if (this.#running !== undefined && to < this.#running.seenTo) this.cancel({ reason: "rewound", because });
    const { prepared } = this.#parts.state.carriedState;
    if (prepared === undefined || to >= Math.max(prepared.to, prepared.viewChangedAt)) return { prepared, tell() {} };
    return { prepared: undefined, tell: this.#consequences(prepared, { reason: "rewound", because }).tell };
  }

  /** Ends the call that is running. Its end is reported with its price. */
  cancel(drop: Drop): void {
    if (this.#running === undefined) return;
    this.#running.drop ??= drop;
    this.#running.over.abort();
  }

  /** Emits that another compaction has replaced what a prepared summary covers. The boundary has ended the summary. */
  tellCompacted(before: PreparedState | undefined): void {
    const because = "another compaction has replaced what it covers";
    this.cancel({ reason: "compacted", because });
    this.#consequences(before, { reason: "compacted", because }).tell();
  }

  async close(): Promise<void> {
    this.cancel(CLOSED_WHILE_WRITING);
    await this.#running?.done;
  }

  #consequences(prepared: PreparedState | undefined, { reason, because }: Drop): Consequences {
    // A prepared summary in the log of a fork belongs to its parent.
    if (prepared === undefined || this.#parts.fork !== undefined) return { drafts: [], tell() {} };
    const { priceUsd, entry } = prepared;
    return {
      drafts: [toDraft("prepared", { step: "dropped", of: entry, reason, because })],
      tell: () => this.#emitDropped({ reason, because }, priceUsd),
    };
  }

  #emitDropped({ reason, because }: Drop, priceUsd: number | undefined): void {
    this.#parts.ports.emit({ kind: "prepared-summary-dropped", reason, because, priceUsd });
  }

  // ---------------------------------------------------------------------------------------------- when a call begins

  #isIdle(): boolean {
    const { fork, policy } = this.#parts;
    return fork === undefined && this.#running === undefined && policy.current.compact.prepareAhead !== undefined;
  }

  async #beginIfNear(): Promise<void> {
    const { state, policy, measures } = this.#parts;
    await state.inOrder(() => this.review());
    if (!this.#isIdle() || !this.#mayPrepare()) return;
    const due = this.#due;
    this.#due = undefined;
    if (due !== undefined) return this.#begin("at-once", due);
    const window = measures.preparingState();
    const { value: reason, failure } = startReason(policy.current, window);
    policy.countCall("prepareAhead", failure);
    if (reason === undefined) return;
    // Notes take the place of a summary, and nobody waits for them either.
    const { action } = compactProposal(policy.current, window, reason);
    if (action.kind === "compact" && action.by === "summary") this.#begin("when-decided", reason.because);
  }

  /** Whether a summary may be written now. Nobody is asked about it, and no process waits for it at its end. */
  #mayPrepare(): boolean {
    const { fork, settings, attendance, policy, state, ports } = this.#parts;
    const { compact } = policy.current;
    const { carriedState, newestEntry } = state;
    if (fork !== undefined || compact.prepareAhead === undefined) return false;
    if (settings.current.compaction !== "auto" || attendance.kind === "unattended") return false;
    // The block of a provider has to follow the request that asked for it, and stand first.
    const { kind } = asSummary(compact.summary);
    if (kind === "none" || kind === "native") return false;
    if (carriedState.prepared !== undefined || carriedState.automatic === "held") return false;
    if (carriedState.calls >= this.#maxCalls) return false;
    const { userMessages, economicBreaker } = carriedState;
    const seen = { nowMs: ports.clock.now(), userMessages, viewChangedAt: newestEntry };
    return mayTry(economicBreaker, seen, ECONOMIC_BREAKER);
  }

  /** The rest of the calls between two messages of the user is left for a compaction that needs a summary at once. */
  get #maxCalls(): number {
    return Math.floor(this.#limits.maxCalls * CALLS_SHARE);
  }

  #begin(installs: PreparedState["installs"], because: string): void {
    const running: Preparation = {
      installs,
      because,
      over: new AbortController(),
      seenTo: this.#parts.state.newestEntry,
      receivedCharacters: 0,
      before: this.#parts.state.carriedState,
      drop: undefined,
      done: Promise.resolve(),
    };
    this.#running = running;
    running.done = this.#run(running);
  }

  // ---------------------------------------------------------------------------------------------- one call

  /** Never rejects. */
  async #run(running: Preparation): Promise<void> {
    let outcome: Outcome;
    try {
      outcome = await this.#write(running);
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      outcome = { kind: "failed", reason: "failed", failure: "api-error", because };
    }
    try {
      await this.#parts.state.inOrder(() => this.#record(running, outcome));
    } catch {
      running.drop ??= CLOSED_WHILE_WRITING;
    }
    this.#running = undefined;
    this.#tell(running, outcome);
  }

  /** Asks a model for a summary of everything up to the newest response, or up to the calls that have no result yet. */
  async #write(running: Preparation): Promise<Outcome> {
    const { id, state, policy, options, ports, measures, forks } = this.#parts;
    const signal = AbortSignal.any([ports.signal, running.over.signal]);
    const snapshot = await state.inOrder(async () => {
      running.seenTo = state.newestEntry;
      return takeSnapshot(state, measures.budget());
    });
    const hooked = await ports.runHooks(
      "PreCompact",
      { sessionId: id, trigger: "auto", customInstructions: "" },
      { signal },
    );
    if (signal.aborted) return { kind: "aborted" };
    if (hooked.blocked !== undefined) {
      const because = `a hook blocked it: ${hooked.blocked.reason}`;
      return { kind: "failed", reason: "blocked", failure: "declined", because };
    }
    const host = withTimeout(options.surroundings ?? {}, { clock: ports.clock, signal });
    const [todos, head] = await Promise.all([host.todos?.(), host.head?.()]);
    const window = measures.preparingState();
    const { value: part, failure } = partByPolicy(policy.current, snapshot, window);
    policy.countCall(RANGE_RULE, failure);
    const nothing = (because: string): Outcome => ({ kind: "failed", reason: "failed", failure: "declined", because });
    if (part === undefined) return nothing("the range rule of the policy leaves everything in place");
    const planning = { trigger: "auto", moment: "beside-turn", todos, head, state: window } as const;
    const plan = await planCompaction(snapshot, part, planOptions(this.#parts, planning));
    if ("kind" in plan) return nothing(plan.why);
    const merged = mergeInstructions("", hooked) ?? "";
    const { text: instructions } = leaveRoom(merged, measures.budget().windowTokens);
    const asked = await askForText(plan, this.#parts, {
      summary: policy.current.compact.summary,
      limits: {
        ...this.#limits,
        maxCalls: this.#maxCalls,
        maxParts: Math.min(this.#limits.maxParts, this.#maxCalls),
      },
      callsBefore: snapshot.carriedState.calls,
      source: PREPARE_SOURCE,
      forks,
      trigger: "auto",
      reason: "economic",
      signal,
      instructions,
      onProgress: (receivedCharacters) => {
        running.receivedCharacters = receivedCharacters;
      },
    });
    const { written, spent, problem } = asked;
    policy.count([SUMMARY_RULE], asked.failures);
    if (signal.aborted || asked.ended === "aborted") return { kind: "aborted", spent };
    if (written === undefined || !("text" in written)) {
      const { reason, because } = problem ?? { reason: "no-usable-summary", because: "no model wrote a text" };
      return { kind: "failed", reason: "failed", failure: FAILURES[reason], because, spent };
    }
    const payload: Written = {
      step: "written",
      from: plan.range.from,
      to: plan.range.to,
      viewChangedAt: snapshot.changedAt,
      formKey: formKeyOf(policy.current.compact.summary),
      form: asked.summary.form,
      met: asked.summary.met,
      problem,
      tokens: snapshot.countTokens(written.text),
      installs: running.installs,
      calls: spent.calls,
      priceUsd: priceOf(spent),
      text: written.text,
      because: running.because,
      attempts: asked.attempts,
      instructions: instructions === "" ? undefined : instructions,
    };
    return { kind: "written", payload, spent };
  }

  /** Writes the summary or the failed attempt to the log, unless nobody can use the summary any more. In order. */
  async #record(running: Preparation, outcome: Outcome): Promise<void> {
    const { state } = this.#parts;
    const { drop, installs, before } = running;
    if (outcome.kind === "written" && drop === undefined) {
      // The purpose may have changed while the model wrote.
      await state.append([toDraft("prepared", { ...outcome.payload, installs })]);
      return;
    }
    const failed = failedAttempt(outcome, drop);
    if (failed === undefined) return;
    // Calls that failed have left no usage in the log, and count all the same. If the user spoke meanwhile, all of them count.
    const made = outcome.spent?.calls ?? 0;
    const now = state.carriedState;
    const isSameTurn = now.userMessages === before.userMessages;
    const calls = isSameTurn ? before.calls + made : Math.max(now.calls, made);
    await state.append([toDraft("attempt", { trigger: "auto", reason: "economic", ...failed, calls })]);
  }

  #tell(running: Preparation, outcome: Outcome): void {
    const { state, ports } = this.#parts;
    const priceUsd = outcome.spent && priceOf(outcome.spent);
    const drop = running.drop ?? (outcome.kind === "aborted" ? CLOSED_WHILE_WRITING : undefined);
    if (drop !== undefined) {
      this.#emitDropped(drop, priceUsd);
      return;
    }
    if (outcome.kind === "written") {
      const { from, to, tokens, because, calls } = outcome.payload;
      ports.emit({ kind: "summary-prepared", from, to, tokens, because, calls, priceUsd });
      return;
    }
    if (outcome.kind === "aborted") return;
    const { reason, because } = outcome;
    this.#emitDropped({ reason, because }, priceUsd);
    const { economicBreaker } = state.carriedState;
    const { failures } = economicBreaker;
    const retryMs = retryAtMs(economicBreaker, ECONOMIC_BREAKER);
    ports.emit({ kind: "breaker-tripped", of: "economic-compaction", failures, retryAtMs: retryMs });
  }
}

/** The attempt that the log records. Undefined: the call was ended by a change of the conversation, not by a failure. */
function failedAttempt(
  outcome: Outcome,
  drop: Drop | undefined,
): { readonly failure: CompactionFailure; readonly why: string } | undefined {
  if (drop !== undefined) return drop.reason === "failed" ? { failure: "no-summary", why: drop.because } : undefined;
  return outcome.kind === "failed" ? { failure: outcome.failure, why: outcome.because } : undefined;
}

const CLOSED_WHILE_WRITING: Drop = { reason: "closed", because: "the session was closed while a model wrote it" };

/** Of the calls between two messages of the user, the share that preparing summaries may make. */
const CALLS_SHARE = 0.5;

/** How often somebody who waits for a summary sees how much of it has arrived. */
const PROGRESS_MS = 1_000;

function priceOf({ calls, priceUsd, used }: Spent): number | undefined {
  return calls === 0 || used === undefined ? undefined : priceUsd;
}

/** The prepared summary as the rules of the policy see it. Undefined if there is none that can be used. */
export function preparedSummaryOf(core: Pick<SessionCore, "state" | "policy" | "fork">): PreparedSummary | undefined {
  const { prepared } = core.state.carriedState;
  if (prepared === undefined || core.fork !== undefined || problemOf(prepared, core) !== undefined) return undefined;
  const { entry, from, to, tokens, installs } = prepared;
  return { entry, from, to, tokens, installs, tailTokens: tailTokensOf(prepared, core.state.view) };
}

function problemOf(
  prepared: PreparedState,
  { policy, state }: Pick<SessionCore, "state" | "policy">,
): Drop | undefined {
  const { prepareAhead, summary } = policy.current.compact;
  if (prepareAhead === undefined)
    return { reason: "policy-changed", because: "the policy prepares no summaries any more" };
  if (formKeyOf(summary) !== prepared.formKey)
    return { reason: "policy-changed", because: "the policy asks for a summary of another form" };
  const { maxTailTokens } = prepareAhead;
  const tailTokens = tailTokensOf(prepared, state.view, maxTailTokens);
  if (tailTokens <= maxTailTokens) return undefined;
  const because = `more than ${grouped(maxTailTokens)} tokens were added after what it covers`;
  return { reason: "tail-too-long", because };
}

/** The tokens after the range of a summary. They are the newest, so only these are read. Stops counting above `most`. */
function tailTokensOf(
  { to }: PreparedState,
  { items, calibration }: View,
  most: number = Number.POSITIVE_INFINITY,
): number {
  let tokens = 0;
  for (let index = items.length - 1; index >= 0 && items[index]!.to > to && tokens <= most; index--) {
    const item = items[index]!;
    if (item.kind !== "seal") tokens += estimateTokens(calibration, item.features);
  }
  return Math.round(tokens);
}

// Asks for the summary of a planned compaction, and composes the new view with it, or without it.

import type { Forks } from "../forks/forks.ts";
import type { CacheTtl } from "../log/payload.ts";
import type {
  CompactionFailure,
  CompactionReason,
  CompactionTrigger,
  DegradedReason,
  SummaryRecord,
} from "../log/payload-compaction.ts";
import { isPaused, SUMMARY_RULE } from "../policy/guard.ts";
import type { Summary, SummaryAsk, WriteSummary } from "../policy/policy.ts";
import type { Provider } from "../providers/provider.ts";
import { present } from "../schema/json-fields.ts";
import { clampMaxTokens } from "../size/budget.ts";
import {
  breakerAfter,
  CLOSED,
  ECONOMIC_BREAKER,
  isOptional,
  mayTry,
  type Seen,
  WINDOW_BREAKER,
} from "../state/carried.ts";
import type { SessionCore } from "../state/core.ts";
import { remembering, withTimeout } from "../state/host-content.ts";
import { windowOfModel } from "../state/limits.ts";
import { createRendering } from "../state/rendering.ts";
import type { Snapshot } from "../state/state.ts";
import { headOf } from "../text.ts";
import type { FlattenRules } from "../view/flatten.ts";
import { CONTINUE } from "../view/texts.ts";
import { offerTools } from "../view/tool-search.ts";
import type { FlatMessage, Item, MessageItem, Seal } from "../view/view.ts";
import type { ReadyView } from "./install.ts";
import { composeView } from "./parts/compose.ts";
import { type CompactionPlan, type PlanOptions, planNumbers, type RangeToCompact, type Room } from "./plan.ts";
import { written } from "./summary/forms.ts";
import { type CallLimits, type ModelCallsOptions, type Spent, SummaryCalls } from "./summary/model-calls.ts";
import {
  formOf,
  reasonsText,
  type SummaryPlan,
  type SummaryProblem,
  type SummaryResult,
  summaryName,
  writeSummary,
} from "./summary/write-summary.ts";

/** The most that the builder's own code may write. */
const FUNCTION_MAX_TOKENS = 20_000;

/** The maximum size of a summary. */
function summaryTokens(wanted: Summary | WriteSummary): number {
  const summary = asSummary(wanted);
  if (summary.kind === "none") return 0;
  return formOf(summary)?.maxTokens ?? FUNCTION_MAX_TOKENS;
}

/** Identifies the form of a summary by its name and numbers: a text of one form does not stand for another. */
export function formKeyOf(wanted: Summary | WriteSummary): string {
  const summary = asSummary(wanted);
  const { params } = summary.kind === "none" ? { params: undefined } : summary;
  return `${summaryName(summary)} ${JSON.stringify(params ?? null)}`;
}

/** What the plan of a compaction has to know of the session and the policy. */
export function planOptions(
  { state, policy, attendance }: SessionCore,
  wanted: Pick<PlanOptions, "trigger" | "moment" | "todos" | "head" | "state">,
): PlanOptions {
  return {
    log: state.log,
    attendance: attendance.kind,
    ...planNumbers(policy.current, wanted.state),
    summaryTokens: summaryTokens(policy.current.compact.summary),
    ...wanted,
  };
}

/** A bare function is a summary by the builder's own code. */
export function asSummary(summary: Summary | WriteSummary): Summary {
  return typeof summary === "function" ? written("own", summary) : summary;
}

interface CompactionRequestParts {
  readonly session: string;
  readonly snapshot: Snapshot;
  readonly range: RangeToCompact;
  readonly rules: FlattenRules;
  /** The most that may be answered, if nothing was sent yet. */
  readonly maxOutputTokens: number;
  /** What the provider is told in place of its own words. */
  readonly instructions: string | undefined;
}

/**
 * Asks the provider to fold what is to be folded: the newest request, with what came since. Its beginning is the same, so it
 * is read from the cache; its end is not marked, because nobody will ask for it again. Undefined if it takes no such request.
 */
function compactionRequest(
  provider: Provider,
  { session, snapshot, range, rules, maxOutputTokens, instructions }: CompactionRequestParts,
): unknown | undefined {
  const { view, items, configuration, budget, sizeTokens } = snapshot;
  const { model, system, tools, parameters } = configuration;
  const folded = items.slice(0, items.findLastIndex(({ to }) => to <= range.to) + 1);
  const newest = folded.findLast((item): item is Seal => item.kind === "seal");
  const wantedTokens = newest?.maxTokens ?? maxOutputTokens;
  const maxTokens = clampMaxTokens({ windowTokens: budget.windowTokens, sizeTokens, wantedTokens });
  const seal: Seal = { kind: "seal", from: range.to, to: range.to, maxTokens };
  const rendering = createRendering(provider, rules);
  const { messages, marks, loaded } = rendering.update({ ...view, items: [...folded, seal], unchangedItems: 0 });
  const leftOut = isOnlyContinue(rendering.flat.at(-1), folded)
    ? provider.renderMessage(rendering.flat.at(-1)!).length
    : 0;
  const cacheTtl: CacheTtl = newest?.cacheTtl ?? "5m";
  const request = provider.renderRequest({
    model,
    system,
    ...offerTools(tools, loaded, rules.toolSearch ?? "native"),
    parameters,
    cacheTtl,
    ...present({ headTtl: newest?.headTtl }),
    maxTokens,
    session,
    messages: messages.slice(0, messages.length - leftOut),
    marks: marks.slice(0, -1),
  });
  return provider.renderCompaction?.(request, instructions === undefined ? {} : { instructions });
}

/** The last message is not the user's: it was put there because a request for an answer has to end with one. */
function isOnlyContinue(last: FlatMessage | undefined, items: readonly Item[]): boolean {
  const said = items.findLast((item) => item.kind === "message");
  const [block, ...more] = last?.blocks ?? [];
  return said?.role === "assistant" && more.length === 0 && block?.kind === "text" && block.text === CONTINUE;
}

interface CallOptions {
  readonly summary: Summary;
  readonly limits: CallLimits;
  readonly trigger: CompactionTrigger;
  /** Instructions of the user and of hooks. */
  readonly instructions: string;
  /** The window of the model that direct calls are made to. */
  readonly directWindowTokens: number;
}

/** Words that a model needs to say one token, at most: what it is told to keep to is a limit in words. */
const WORDS_PER_TOKEN = 0.6;
/** Of a window, what a direct call keeps for the prompt and the answer. */
const OUTPUT_SHARE = 0.2;
const PROMPT_TOKENS = 800;
/** A fork's answer must fit behind the question: a summary has less than a tenth of what it is of. */
const FORK_SHARE = 0.9;

const PARTS: Readonly<Record<CompactionPlan["variant"], SummaryAsk["part"]>> = {
  full: "all",
  from: "after",
  up_to: "before",
};

/** What the models are asked, and which of the ways to them can be taken. */
export function planCalls(
  plan: CompactionPlan,
  room: Room,
  { summary, limits, trigger, instructions, directWindowTokens }: CallOptions,
): Omit<SummaryPlan, "modelCalls" | "clock" | "signal"> {
  const { material, range, variant, snapshot } = plan;
  const said = range.folded.filter(({ origin }) => origin !== "summary");
  const words = `The summary may have at most ${Math.floor(room.summary * WORDS_PER_TOKEN)} words.`;
  return {
    summary,
    ask: {
      part: PARTS[variant],
      instructions,
      sourceTokens: range.folded.reduce((sum, item) => sum + snapshot.tokensOf(item), 0),
      isKnown: knownTexts(material.rounds.map(({ text }) => text)),
    },
    variant,
    instructions: [...pointOf(plan), words, instructions].filter((line) => line !== "").join("\n"),
    rounds: material.rounds,
    noFork: noForkBecause(plan, trigger),
    rule: isPaused(material.parts.state.history, SUMMARY_RULE) ? "paused" : "called",
    directTokens: Math.floor(directWindowTokens * (1 - OUTPUT_SHARE)) - PROMPT_TOKENS,
    maximumParts: limits.maxParts,
    maximumTokens: room.summary,
    countTokens: snapshot.countTokens,
    said: said.map(textOf).join("\n"),
  };
}

/** The most that a direct call may answer. */
export function directOutputTokens(maxTokens: number, windowTokens: number): number {
  return Math.min(maxTokens, Math.floor(windowTokens * OUTPUT_SHARE));
}

function noForkBecause({ snapshot, variant }: CompactionPlan, trigger: CompactionTrigger): string | undefined {
  const { sizeTokens, budget } = snapshot;
  if (variant === "up_to") return "only the earlier part is to be summarized";
  if (trigger === "reactive") return "the provider has refused this prompt as too long";
  const mostTokens = Math.floor(budget.windowTokens * FORK_SHARE);
  if (sizeTokens + PROMPT_TOKENS > mostTokens) {
    return `${sizeTokens} tokens and ${PROMPT_TOKENS} of the question leave no room for an answer (above ${mostTokens})`;
  }
  return undefined;
}

/** Where the part begins that is to be summarized, by its first words. */
function pointOf({ variant, range }: CompactionPlan): string[] {
  if (variant !== "from") return [];
  const first = headOf(textOf(range.folded[0]!), 300);
  return [`The part to be summarized begins with this message:\n${first}`];
}

/** A path may be written in a shorter way than where it was first named. */
function knownTexts(texts: readonly string[]): (text: string) => boolean {
  const all = texts.join("\n");
  return (text) => all.includes(text.replace(/^\.\//, ""));
}

function textOf({ blocks }: MessageItem): string {
  return blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n");
}

export interface TextCall {
  readonly summary: Summary | WriteSummary;
  /** How many calls the summary may take. */
  readonly limits: CallLimits;
  /** The calls that were made before and count towards the limit. */
  readonly callsBefore: number;
  readonly source: ModelCallsOptions["source"];
  readonly forks: Pick<Forks, "converse">;
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  /** What the summary is to pay heed to. */
  readonly instructions: string;
  readonly signal: AbortSignal;
  /** Is told how much of a summary has arrived. */
  readonly onProgress: (receivedCharacters: number) => void;
}

interface SummaryCall extends TextCall {
  /** Files that the model still sees, with the entries of their reads. */
  readonly filesRead: ReadonlyMap<string, number>;
}

/** A view to be installed, or why there is none. */
export type AskedSummary = (
  | { readonly kind: "ready"; readonly ready: ReadyView }
  | { readonly kind: "none"; readonly failure: CompactionFailure; readonly why: string; readonly spent: Spent }
  | { readonly kind: "aborted"; readonly spent: Spent }
) & {
  /** Functions of the policy that failed. */
  readonly failures: SummaryResult["failures"];
};

/**
 * Asks for a summary, from the cheapest way on. If there is none, the conversation is compacted without one; but not where the
 * compaction only saves money: nothing is worth losing content then.
 */
export async function askForSummary(plan: CompactionPlan, core: SessionCore, call: SummaryCall): Promise<AskedSummary> {
  const { options, ports } = core;
  const { signal } = call;
  const { carriedState } = plan.snapshot;
  const summary = asSummary(call.summary);
  const host = remembering(withTimeout(options.surroundings ?? {}, { clock: ports.clock, signal }));
  const composing = { surroundings: host, filesRead: call.filesRead, cleanText: options.cleanText };
  const result = await askForText(plan, core, call);
  const { failures, spent, seen } = result;
  if (result.ended === "aborted") return { kind: "aborted", spent, failures };
  const whole = result.written && (await composeView(result.written, plan, composing));
  if (whole !== undefined) {
    const { summary: record, attempts, problem } = result;
    return {
      kind: "ready",
      ready: { view: whole, summary: record, attempts, problem, breaker: CLOSED, spent },
      failures,
    };
  }
  const { problem, attempts, record } = withoutText(result);
  const wantsNone = summary.kind === "none";
  if (isOptional(call.reason) && !wantsNone) {
    return { kind: "none", failure: FAILURES[problem.reason], why: problem.because, spent, failures };
  }
  const view = await composeView(undefined, plan, composing);
  if (view === undefined)
    return { kind: "none", failure: "too-large", why: "without a summary it is too large, too", spent, failures };
  const breaker = spent.calls > 0 ? breakerAfter(carriedState.breaker, { kind: "failed", seen }) : carriedState.breaker;
  const degraded = wantsNone ? undefined : problem;
  return { kind: "ready", ready: { view, summary: record, attempts, problem: degraded, breaker, spent }, failures };
}

export const FAILURES: Readonly<Record<DegradedReason, CompactionFailure>> = {
  "no-usable-summary": "no-summary",
  "provider-error": "api-error",
  "prompt-too-long": "prompt-too-long",
  "calls-used-up": "no-summary",
  "function-failed": "no-summary",
};

const NO_ROOM: SummaryProblem = {
  reason: "no-usable-summary",
  because: "what stays leaves no room for a summary",
};

/** The record of a compaction whose summary is missing, or cannot be used. */
function withoutText({ written: text, summary, attempts, problem = NO_ROOM }: SummaryResult): {
  readonly problem: SummaryProblem;
  readonly attempts: SummaryResult["attempts"];
  readonly record: SummaryRecord;
} {
  if (text === undefined) return { problem, attempts, record: summary };
  const tried = [...attempts, { way: summary.way, why: "with it, the view would not be smaller by enough" }];
  return {
    problem: { reason: "no-usable-summary", because: reasonsText(tried) },
    attempts: tried,
    record: { ...summary, way: "none", met: false },
  };
}

/** The model that writes summaries in direct calls, and its window. */
function summaryModel({ snapshot }: CompactionPlan, { ports, settings }: SessionCore, summary: Summary) {
  const { configuration, budget } = snapshot;
  const model = formOf(summary)?.model ?? configuration.model;
  if (model === configuration.model) return { model, windowTokens: budget.windowTokens };
  return { model, windowTokens: windowOfModel(model, ports.facts.of(model), { settings: settings.current }).tokens };
}

/** Asks for the text of a summary, without a view around it. */
export async function askForText(plan: CompactionPlan, core: SessionCore, call: TextCall): Promise<AskedText> {
  const { carriedState, newestEntry } = plan.snapshot;
  const summary = asSummary(call.summary);
  const calls = summaryCalls(plan, core, { ...call, summary });
  const nowMs = core.ports.clock.now();
  const seen = { nowMs, userMessages: carriedState.userMessages, viewChangedAt: newestEntry };
  const result = await askModels(plan, core, { ...call, summary, calls, seen });
  return { ...result, spent: calls.spent, seen };
}

/** The text of a summary, if there is one, and what was spent. */
interface AskedText extends SummaryResult {
  readonly spent: Spent;
  /** When the first model was asked. */
  readonly seen: Seen;
}

type WithSummary = TextCall & { readonly summary: Summary };

function summaryCalls(plan: CompactionPlan, core: SessionCore, call: WithSummary): SummaryCalls {
  const { provider, facts, clock } = core.ports;
  const { summary, limits, callsBefore, source, forks, signal, onProgress } = call;
  const { snapshot, range } = plan;
  const { model, windowTokens } = summaryModel(plan, core, summary);
  const maxOutputTokens = directOutputTokens(summaryTokens(summary), windowTokens);
  const sessionModel = snapshot.configuration.model;
  const rules = {
    provider: provider.name,
    thinking: facts.of(sessionModel).thinking,
    toolSearch: provider.toolSearch?.(sessionModel) ?? "own",
  };
  return new SummaryCalls(core, {
    forks,
    signal,
    model,
    maxOutputTokens,
    compactionRequest: (instructions) =>
      compactionRequest(provider, { session: core.id, snapshot, range, rules, maxOutputTokens, instructions }),
    maxCalls: limits.maxCalls,
    callsBefore,
    source,
    stallMs: limits.stallMs,
    deadlineMs: clock.now() + limits.deadlineMs,
    onProgress,
  });
}

interface AskModels extends WithSummary {
  readonly calls: SummaryCalls;
  readonly seen: Seen;
}

async function askModels(plan: CompactionPlan, core: SessionCore, asked: AskModels): Promise<SummaryResult> {
  const { summary, limits, reason, trigger, instructions, calls, seen, signal } = asked;
  if (plan.room === undefined) return notAsked(summary, NO_ROOM);
  const { carriedState } = plan.snapshot;
  const [breaker, rule] = isOptional(reason)
    ? ([carriedState.economicBreaker, ECONOMIC_BREAKER] as const)
    : ([carriedState.breaker, WINDOW_BREAKER] as const);
  // A user who compacts by hand knows about earlier failures.
  if (trigger !== "manual" && summary.kind !== "none" && !mayTry(breaker, seen, rule)) {
    const because = `after ${breaker.failures} failures in a row no model is asked for now`;
    return notAsked(summary, { reason: "no-usable-summary", because });
  }
  const { windowTokens: directWindowTokens } = summaryModel(plan, core, summary);
  const planned = planCalls(plan, plan.room, { summary, limits, trigger, instructions, directWindowTokens });
  return writeSummary({ ...planned, modelCalls: calls, clock: core.ports.clock, signal });
}

function notAsked(summary: Summary, problem: SummaryProblem): SummaryResult {
  return {
    written: undefined,
    summary: { way: "none", form: summaryName(summary), met: summary.kind === "none" },
    attempts: [{ way: "none", why: problem.because }],
    failures: [],
    problem,
    ended: "done",
  };
}

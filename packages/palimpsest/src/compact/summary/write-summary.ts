// The one sequence in which a summary is asked for, the cheapest way first, for all forms of a summary.

import { type Clock, watchCall } from "../../clock.ts";
import type { DegradedReason, SummaryAttempt, SummaryRecord, SummaryWay } from "../../log/payload-compaction.ts";
import { callRule, FAILURES_TO_PAUSE, PLAIN_PROMPT, promptOf, SUMMARY_RULE, shown } from "../../policy/guard.ts";
import type {
  NativeSummary,
  Summary,
  SummaryAsk,
  SummaryForm,
  SummaryFunction,
  SummaryWork,
} from "../../policy/policy.ts";
import type { CallResult, ModelCalls, ModelConversation, WrittenSummary } from "./calls.ts";
import {
  acceptedBy,
  addFailure,
  type CheckedForm,
  type CheckOptions,
  type Course,
  checkText,
  settleAnswer,
  suspiciousAnswer,
} from "./check.ts";
import { partPrompt, providerCompactionPrompt, type SummaryVariant, summaryPrompt } from "./forms.ts";
import { cutMarker, divideTranscript, dropOldest, type TranscriptRound, transcriptText } from "./transcript.ts";

export interface SummaryPlan {
  readonly summary: Summary;
  readonly ask: SummaryAsk;
  readonly variant: SummaryVariant;
  /** For the frame: the size, where the part begins, and the instructions of the user. */
  readonly instructions: string;
  readonly modelCalls: ModelCalls;
  /** `paused`: the functions of the summary failed too often, and are not called. */
  readonly rule: Course["rule"];
  /** The content to summarize, oldest first. */
  readonly rounds: readonly TranscriptRound[];
  /** Why the conversation's own prompt cannot be used, for example because it would not fit. */
  readonly noFork: string | undefined;
  /** The part of a transcript that fits into one call. */
  readonly directTokens: number;
  readonly maximumParts: number;
  readonly maximumTokens: number;
  readonly countTokens: (text: string) => number;
  /** The conversation without summaries of earlier parts, to recognize an echo of it. */
  readonly said: string;
  readonly clock: Required<Clock>;
  readonly signal: AbortSignal;
}

export interface SummaryResult {
  /** Undefined if there is no summary. */
  readonly written: WrittenSummary | undefined;
  readonly summary: SummaryRecord;
  readonly attempts: readonly SummaryAttempt[];
  /** Code of the builder that failed. */
  readonly failures: Course["failures"];
  /** Why there is no summary, or why the form does not accept it; undefined if all is well. */
  readonly problem: SummaryProblem | undefined;
  readonly ended: "done" | "aborted";
}

export interface SummaryProblem {
  readonly reason: DegradedReason;
  readonly because: string;
}

/** The outcome of one way. */
export type WayResult =
  | { readonly kind: "written"; readonly written: WrittenSummary; readonly met: boolean; readonly why: string }
  | { readonly kind: "declined"; readonly why: string; readonly reason: DegradedReason }
  | { readonly kind: "not-possible"; readonly why: string }
  | { readonly kind: "aborted" };

/** How often the oldest rounds are dropped because the provider finds the transcript too long. */
const MAX_CUTS = 3;
/** A short block that begins like an error or a refusal is one. */
const SHORT_CHARACTERS = 500;

/**
 * Asks for a summary until one is good enough to replace the conversation. A prepared summary and the session's notes come before
 * this sequence, because they need no plan of calls; without any summary, only the parts remain. Never throws because of a model
 * or of the builder's code.
 */
export async function writeSummary(plan: SummaryPlan): Promise<SummaryResult> {
  // The form that stands in for a function is not paused with it.
  const rule = plan.summary.kind === "function" ? "called" : plan.rule;
  const course: Course = { attempts: [], failures: [], rule, repair: "left" };
  const reasons: DegradedReason[] = [];
  const name = summaryName(plan.summary);
  for (const [way, take] of waysOf(plan, course)) {
    const result = await take();
    const { attempts, failures } = course;
    if (result.kind === "aborted") return noSummary(name, course, undefined, "aborted");
    if (result.kind === "written") {
      const { written, met, why } = result;
      const reason = failures.length === 0 ? "no-usable-summary" : "function-failed";
      const problem = met ? undefined : ({ reason, because: `${way}: ${why}` } as const);
      return { written, summary: { way, form: name, met }, attempts, failures, problem, ended: "done" };
    }
    attempts.push({ way, why: result.why });
    if (result.kind === "declined") reasons.push(result.reason);
  }
  if (plan.summary.kind === "none") return noSummary(name, course, undefined, "done");
  return noSummary(name, course, { reason: worstOf(reasons), because: reasonsText(course.attempts) }, "done");
}

/** The name of the form, of the function, or "none". */
export function summaryName(summary: Summary): string {
  return summary.kind === "none" ? "none" : summary.name;
}

/** The form that a model fills in; undefined if none is wanted. */
export function formOf(summary: Summary): SummaryForm | undefined {
  if (summary.kind === "form") return summary;
  return summary.kind === "none" ? undefined : summary.otherwise;
}

export function reasonsText(attempts: readonly SummaryAttempt[]): string {
  return attempts.map(({ way, why }) => `${way}: ${why}`).join("; ");
}

type Way = readonly [SummaryWay, () => Promise<WayResult>];

function waysOf(plan: SummaryPlan, course: Course): readonly Way[] {
  const { summary } = plan;
  const wanted = formOf(summary);
  const ways: Way[] = [];
  if (summary.kind === "native") ways.push(["provider", () => byProvider(plan, summary, course)]);
  if (summary.kind === "function") ways.push(["function", () => byFunction(plan, summary, course)]);
  if (wanted === undefined) return ways;
  const form: CheckedForm = {
    form: wanted,
    prompt: promptFor(wanted, plan.ask, course),
    ask: plan.ask,
    options: checksOf(plan),
  };
  ways.push(["fork", () => onFork(plan, form, course)]);
  ways.push(["direct", () => directly(plan, form, course)]);
  ways.push(["in-parts", () => inParts(plan, form, course)]);
  return ways;
}

function noSummary(
  form: string,
  { attempts, failures }: Course,
  problem: SummaryProblem | undefined,
  ended: SummaryResult["ended"],
): SummaryResult {
  const met = problem === undefined && ended === "done";
  return { written: undefined, summary: { way: "none", form, met }, attempts, failures, problem, ended };
}

/** An answer without a summary is more informative than a failed call. */
const WORST_FIRST: readonly DegradedReason[] = [
  "function-failed",
  "no-usable-summary",
  "prompt-too-long",
  "provider-error",
  "calls-used-up",
];

function worstOf(reasons: readonly DegradedReason[]): DegradedReason {
  return WORST_FIRST.find((one) => reasons.includes(one)) ?? "no-usable-summary";
}

function promptFor(form: SummaryForm, ask: SummaryAsk, course: Course): string {
  if (course.rule === "paused") return PLAIN_PROMPT;
  const { value, failure } = promptOf(form, ask);
  addFailure(course, failure);
  return value;
}

/** The block is signed or sealed, so it cannot be repaired: it is used or discarded. */
async function byProvider(plan: SummaryPlan, { otherwise }: NativeSummary, course: Course): Promise<WayResult> {
  if (plan.noFork !== undefined) return { kind: "not-possible", why: plan.noFork };
  // The block replaces everything before it, and must come first.
  if (plan.variant !== "full")
    return { kind: "not-possible", why: "only part of the conversation is to be summarized" };
  const { instructions } = plan.ask;
  const prompt = promptFor(otherwise, plan.ask, course);
  const called = await plan.modelCalls.provider(
    instructions === "" ? undefined : providerCompactionPrompt(prompt, instructions),
  );
  if (called === undefined) return { kind: "not-possible", why: "this provider cannot compact on request" };
  if (called.kind === "failed") return failed(called);
  const block = called.answer;
  if (block === undefined) return unusable("the provider wrote no summary");
  const text = block.kind === "text" ? block.text.trim() : undefined;
  const suspicious = text === undefined || text.length > SHORT_CHARACTERS ? undefined : suspiciousAnswer(text);
  if (suspicious !== undefined) return unusable(`${suspicious}: ${text}`);
  return { kind: "written", written: { block }, met: true, why: "" };
}

/** Runs the builder's code. Its calls are counted like all others; after its time it gets no more answers. */
async function byFunction(plan: SummaryPlan, summary: SummaryFunction, course: Course): Promise<WayResult> {
  const { clock, signal, rule } = plan;
  if (rule === "paused")
    return { kind: "not-possible", why: `the function is paused: it failed ${FAILURES_TO_PAUSE} times in a row` };
  const watched = await watchCall(async (own) => summary.write(workOf(plan, own)), {
    clock,
    stallMs: summary.timeoutMs,
    signal,
  });
  if (watched.kind === "aborted") return { kind: "aborted" };
  const { value: text, failure } = callRule<string>(
    { rule: SUMMARY_RULE, where: "write" },
    () => {
      if (watched.kind === "failed") throw watched.error;
      return watched.kind === "done" ? watched.result : "";
    },
    (written) =>
      watched.kind === "done" ? textProblem(written, plan) : `it wrote nothing in ${summary.timeoutMs / 1_000} s`,
    () => "",
  );
  addFailure(course, failure);
  if (failure !== undefined) return { kind: "declined", why: failure.why, reason: "function-failed" };
  return { kind: "written", written: { text: `Summary:\n${text.trim().toWellFormed()}` }, met: true, why: "" };
}

function textProblem(text: unknown, plan: SummaryPlan): string | undefined {
  if (typeof text !== "string" || text.trim() === "") return `it returned ${shown(text)}, and has to return a text`;
  return checkText(text, checksOf(plan))?.why;
}

function workOf(plan: SummaryPlan, signal: AbortSignal): SummaryWork {
  const { ask, rounds, noFork, modelCalls } = plan;
  const transcript = transcriptText(rounds);
  const answerOf = async (begin: () => Promise<ModelConversation>, words: string): Promise<string> => {
    signal.throwIfAborted();
    const conversation = await begin();
    try {
      const called = await conversation.ask(words);
      signal.throwIfAborted();
      if (called.kind === "failed") throw new Error(`${called.failure.kind}: ${called.why}`);
      return called.answer.text;
    } finally {
      await conversation.close();
    }
  };
  return {
    ask,
    transcript,
    signal,
    direct: (prompt) => answerOf(() => modelCalls.direct(signal), prompt),
    fork(prompt) {
      // Without the conversation's own prompt, the question brings the conversation along.
      if (noFork !== undefined) return answerOf(() => modelCalls.direct(signal), `${transcript}\n\n${prompt}`);
      return answerOf(() => modelCalls.fork(signal), prompt);
    },
  };
}

async function onFork(plan: SummaryPlan, form: CheckedForm, course: Course): Promise<WayResult> {
  if (form.form.model !== undefined)
    return { kind: "not-possible", why: `another model is to write it: ${form.form.model}` };
  if (plan.noFork !== undefined) return { kind: "not-possible", why: plan.noFork };
  let conversation: ModelConversation;
  try {
    conversation = await plan.modelCalls.fork();
  } catch (error) {
    // The call would not have the conversation's own bytes, or cannot be made: try the next way.
    return { kind: "not-possible", why: textOf(error) };
  }
  return converse(conversation, summaryPrompt(framed(plan, form)), form, course);
}

async function directly(plan: SummaryPlan, form: CheckedForm, course: Course): Promise<WayResult> {
  const { rounds: all, directTokens, countTokens } = plan;
  const tokens = all.reduce((sum, { text }) => sum + countTokens(text), 0);
  if (tokens > directTokens) {
    return { kind: "not-possible", why: `a transcript of ${tokens} tokens, and one call takes ${directTokens}` };
  }
  let rounds = all;
  for (let cuts = 0; ; cuts++) {
    const dropped = all.slice(0, all.length - rounds.length);
    const transcript = transcriptText(rounds, dropped.length === 0 ? undefined : cutMarker(dropped));
    const conversation = await plan.modelCalls.direct();
    const called = await conversation.ask(`${transcript}\n\n${summaryPrompt(framed(plan, form))}`);
    if (called.kind === "answer" || called.failure.kind !== "overflow")
      return settle(conversation, called, form, course);
    await conversation.close();
    const { inputTokens, limitTokens } = called.failure;
    const gap = inputTokens === undefined || limitTokens === undefined ? {} : { gapTokens: inputTokens - limitTokens };
    const cut = cuts < MAX_CUTS ? dropOldest(rounds, { ...gap, tokensOf: ({ text }) => countTokens(text) }) : undefined;
    if (cut === undefined) {
      return { kind: "declined", why: `${called.why}, after ${cuts} cuts`, reason: "prompt-too-long" };
    }
    rounds = cut.kept;
  }
}

/** Each part gets the summary of the previous ones. Only the last summary must meet the form. */
async function inParts(plan: SummaryPlan, form: CheckedForm, course: Course): Promise<WayResult> {
  const { rounds, directTokens, maximumParts, maximumTokens, countTokens, modelCalls } = plan;
  const options = {
    partTokens: Math.floor(directTokens - maximumTokens),
    maximumParts,
    tokensOf: countTokens,
  };
  const planned = divideTranscript(rounds, options);
  if (planned === undefined || planned.parts.length < 2)
    return { kind: "not-possible", why: "the transcript cannot be divided" };
  let previous: string | undefined;
  let result: WayResult = { kind: "not-possible", why: "the transcript is empty" };
  for (const [index, part] of planned.parts.entries()) {
    const place = { part: index + 1, parts: planned.parts.length, previous };
    const words = `${transcriptText(part)}\n\n${partPrompt({ ...framed(plan, form), ...place })}`;
    const isLast = index === planned.parts.length - 1;
    result = await converse(await modelCalls.direct(), words, isLast ? form : acceptedBy(form), course);
    if (result.kind !== "written" || !("text" in result.written)) return result;
    previous = result.written.text;
  }
  return result;
}

async function converse(
  conversation: ModelConversation,
  words: string,
  form: CheckedForm,
  course: Course,
): Promise<WayResult> {
  return settle(conversation, await conversation.ask(words), form, course);
}

/** Checks the answer, asks the one question about it, and ends the dialog. */
async function settle(
  conversation: ModelConversation,
  called: CallResult,
  form: CheckedForm,
  course: Course,
): Promise<WayResult> {
  try {
    if (called.kind === "failed") return failed(called);
    const settled = await settleAnswer(called.answer, form, course, (words) => conversation.ask(words));
    if (settled.kind === "aborted") return settled;
    if (settled.kind === "refused") return unusable(settled.why);
    return { kind: "written", written: { text: settled.text }, met: settled.met, why: settled.why };
  } finally {
    await conversation.close();
  }
}

function framed(plan: SummaryPlan, { prompt }: CheckedForm) {
  const { variant, instructions } = plan;
  return { variant, form: prompt, instructions };
}

function checksOf({ ask, maximumTokens, countTokens, said }: SummaryPlan): CheckOptions {
  return { sourceTokens: ask.sourceTokens, maximumTokens, countTokens, request: said };
}

function failed({ failure, why }: Extract<CallResult<unknown>, { kind: "failed" }>): WayResult {
  if (failure.kind === "aborted") return { kind: "aborted" };
  const reasons = { "no-calls-left": "calls-used-up", overflow: "prompt-too-long" } as const;
  const reason =
    failure.kind === "no-calls-left" || failure.kind === "overflow" ? reasons[failure.kind] : "provider-error";
  return { kind: "declined", why: `${failure.kind}: ${why}`, reason };
}

/** There is an answer, but no summary in it. */
function unusable(why: string): WayResult {
  return { kind: "declined", why, reason: "no-usable-summary" };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import type { CompactionFailure, CompactionRung } from "../log/payload-compaction.ts";
import type { ProviderCompaction, ProviderFailure } from "../providers/provider.ts";
import { checkSummary, type SummaryAnswer, type SummaryLimits, suspiciousAnswer } from "./summary/check.ts";
import { joinRepair, planPasses } from "./summary/passes.ts";
import { passPrompt, providerCompactionPrompt, summaryPrompt } from "./summary/prompt.ts";
import { cutMarker, dropOldest, type TranscriptRound, transcriptText } from "./summary/transcript.ts";

/** The outcome of one call, after all tries. */
export type CallResult<Answer = SummaryAnswer> =
  | { readonly kind: "answer"; readonly answer: Answer }
  | {
      readonly kind: "failed";
      readonly failure: ProviderFailure | { readonly kind: "no-calls-left" };
      readonly why: string;
    };

/** The compaction in the provider's own format; undefined if it has written none. */
export type CompactionBlock = ProviderCompaction["block"];

/** A dialog with the model about the conversation: the model remembers its earlier answers. */
export interface ModelConversation {
  ask(words: string): Promise<CallResult>;
  close(): Promise<void>;
}

/** The ways to call a model. */
export interface ModelCalls {
  /** With the conversation's own prompt, which is in the provider's cache. */
  fork(): Promise<ModelConversation>;
  /** With a new prompt, which must hold everything that the model needs. */
  direct(): Promise<ModelConversation>;
  /** Lets the provider compact; undefined if it has no such request. Without instructions, it uses its own. */
  provider(instructions: string | undefined): Promise<CallResult<CompactionBlock | undefined> | undefined>;
}

export interface LadderPlan {
  readonly modelCalls: ModelCalls;
  /** The content to summarize, oldest first. */
  readonly rounds: readonly TranscriptRound[];
  readonly variant: "full" | "from" | "up_to";
  readonly instructions?: string;
  /** Whether the provider's own compaction is tried first. */
  readonly byProvider: "asked" | "off";
  /** The instructions of the caller for the provider, without ours. */
  readonly userInstructions?: string;
  /** Why the conversation's own prompt cannot be used: it would not fit, or another model is wanted. */
  readonly noFork?: string;
  /** The part of a transcript that fits into one call. */
  readonly directTokens: number;
  readonly maximumPasses: number;
  readonly limits: SummaryLimits;
  /** The conversation without summaries of earlier parts, to recognize an echo of it. */
  readonly said: string;
}

/** A text by a model, or a block that the provider expects first in every request. */
export type WrittenSummary = { readonly text: string } | { readonly block: CompactionBlock };

export interface LadderResult {
  /** The summary and its rung; undefined if no model wrote a usable one. */
  readonly summary?: WrittenSummary & { readonly rung: CompactionRung };
  readonly declined: readonly { readonly rung: CompactionRung; readonly why: string }[];
  /** Why there is no summary, by the outcome of the calls; absent if there is one, or no rung was tried. */
  readonly failure?: SummaryFailure;
  readonly ended: "done" | "aborted";
}

type SummaryFailure = Extract<CompactionFailure, "no-summary" | "api-error" | "prompt-too-long">;

type RungResult =
  | { readonly kind: "fine"; readonly text: string }
  | { readonly kind: "folded"; readonly block: CompactionBlock }
  /** `failure`: the outcome of its calls; absent if none was made. */
  | { readonly kind: "declined"; readonly why: string; readonly failure?: SummaryFailure }
  | { readonly kind: "aborted" };

/** How often the oldest rounds are dropped because the provider finds the transcript too long. */
const MAX_CUTS = 3;

const RUNGS: readonly (readonly [CompactionRung, (plan: LadderPlan) => Promise<RungResult>])[] = [
  ["provider", byProvider],
  ["fork", onFork],
  ["direct", directly],
  ["passes", inPasses],
];

/** Asks for a summary, the cheapest way first, until one is good enough to replace the conversation. */
export async function runSummaryLadder(plan: LadderPlan): Promise<LadderResult> {
  const declined: { rung: CompactionRung; why: string }[] = [];
  const failures: (SummaryFailure | undefined)[] = [];
  for (const [rung, take] of RUNGS) {
    if (rung === "provider" && plan.byProvider === "off") continue;
    const result = await take(plan);
    if (result.kind === "fine") return { summary: { rung, text: result.text }, declined, ended: "done" };
    if (result.kind === "folded") return { summary: { rung, block: result.block }, declined, ended: "done" };
    if (result.kind === "aborted") return { declined, ended: "aborted" };
    declined.push({ rung, why: result.why });
    failures.push(result.failure);
  }
  return { declined, failure: worstOf(failures), ended: "done" };
}

/** An answer without a summary is more informative than a failed call. */
function worstOf(failures: readonly (SummaryFailure | undefined)[]): SummaryFailure {
  const found = (["no-summary", "prompt-too-long", "api-error"] as const).find((one) => failures.includes(one));
  return found ?? "no-summary";
}

/** A short answer that begins like an error or a refusal is one. */
const SHORT_CHARACTERS = 500;

/** The block is signed or sealed, so it cannot be repaired: it is used or discarded. */
async function byProvider(plan: LadderPlan): Promise<RungResult> {
  if (plan.noFork !== undefined) return { kind: "declined", why: plan.noFork };
  // The block replaces everything before it, and must come first.
  if (plan.variant !== "full") return { kind: "declined", why: "only part of the conversation is to be summarized" };
  const { userInstructions = "" } = plan;
  const called = await plan.modelCalls.provider(
    userInstructions === "" ? undefined : providerCompactionPrompt(userInstructions),
  );
  if (called === undefined) return { kind: "declined", why: "this provider cannot compact on request" };
  if (called.kind === "failed") return failed(called);
  const block = called.answer;
  if (block === undefined) return unusable("the provider wrote no summary");
  const text = block.kind === "text" ? block.text.trim() : undefined;
  const suspicious = text === undefined || text.length > SHORT_CHARACTERS ? undefined : suspiciousAnswer(text);
  return suspicious === undefined ? { kind: "folded", block } : unusable(`${suspicious}: ${text}`);
}

async function onFork(plan: LadderPlan): Promise<RungResult> {
  if (plan.noFork !== undefined) return { kind: "declined", why: plan.noFork };
  let conversation: ModelConversation;
  try {
    conversation = await plan.modelCalls.fork();
  } catch (error) {
    // The call would not have the conversation's own bytes, or cannot be made: try the next rung.
    return { kind: "declined", why: error instanceof Error ? error.message : String(error) };
  }
  return converse(conversation, summaryPrompt(promptOf(plan)), plan);
}

async function directly(plan: LadderPlan): Promise<RungResult> {
  const { rounds: all, directTokens, limits } = plan;
  const tokens = sumOf(all, limits);
  if (tokens > directTokens) {
    return { kind: "declined", why: `a transcript of ${tokens} tokens, and one call takes ${directTokens}` };
  }
  let rounds = all;
  for (let cuts = 0; ; cuts++) {
    const dropped = all.slice(0, all.length - rounds.length);
    const transcript = transcriptText(rounds, dropped.length === 0 ? undefined : cutMarker(dropped));
    const conversation = await plan.modelCalls.direct();
    const called = await conversation.ask(`${transcript}\n\n${summaryPrompt(promptOf(plan))}`);
    if (called.kind === "answer" || called.failure.kind !== "overflow") return settle(conversation, called, plan);
    await conversation.close();
    const { inputTokens, limitTokens } = called.failure;
    const gap = inputTokens === undefined || limitTokens === undefined ? {} : { gapTokens: inputTokens - limitTokens };
    const cut =
      cuts < MAX_CUTS ? dropOldest(rounds, { ...gap, tokensOf: ({ text }) => limits.countTokens(text) }) : undefined;
    if (cut === undefined) {
      return { kind: "declined", why: `${called.why}, after ${cuts} cuts`, failure: "prompt-too-long" };
    }
    rounds = cut.kept;
  }
}

/** Each pass gets the summary of the previous one. */
async function inPasses(plan: LadderPlan): Promise<RungResult> {
  const { rounds, directTokens, maximumPasses, limits, modelCalls } = plan;
  const options = {
    passTokens: Math.floor(directTokens - limits.maximumTokens),
    maximumPasses,
    tokensOf: limits.countTokens,
  };
  const planned = planPasses(rounds, options);
  if (planned === undefined || planned.passes.length < 2)
    return { kind: "declined", why: "the transcript cannot be divided" };
  let previous: string | undefined;
  for (const [index, part] of planned.passes.entries()) {
    const place = { pass: index + 1, passes: planned.passes.length, previous };
    const words = `${transcriptText(part)}\n\n${passPrompt({ ...promptOf(plan), ...place })}`;
    const result = await converse(await modelCalls.direct(), words, plan);
    if (result.kind !== "fine") return result;
    previous = result.text;
  }
  return { kind: "fine", text: previous! };
}

async function converse(conversation: ModelConversation, words: string, plan: LadderPlan): Promise<RungResult> {
  return settle(conversation, await conversation.ask(words), plan);
}

/** Checks the answer, asks once for missing parts, and ends the dialog. */
async function settle(
  conversation: ModelConversation,
  called: CallResult,
  { limits, variant, said }: LadderPlan,
): Promise<RungResult> {
  try {
    if (called.kind === "failed") return failed(called);
    const whole = { ...limits, variant };
    const checked = checkSummary({ ...whole, answer: called.answer, echoOf: said });
    if (checked.kind === "fine") return checked;
    if (checked.kind === "refused") return unusable(`${checked.reason}: ${checked.detail}`);
    const again = await conversation.ask(checked.prompt);
    if (again.kind === "failed" && again.failure.kind === "aborted") return { kind: "aborted" };
    const answer = again.kind === "answer" ? again.answer : undefined;
    const joined = joinRepair({ ...whole, repairable: checked, answer });
    return joined.kind === "fine" ? joined : unusable(`${joined.reason}: ${joined.detail}`);
  } finally {
    await conversation.close();
  }
}

function failed({ failure, why }: Extract<CallResult<unknown>, { kind: "failed" }>): RungResult {
  if (failure.kind === "aborted") return { kind: "aborted" };
  const declined = { kind: "declined", why: `${failure.kind}: ${why}` } as const;
  if (failure.kind === "no-calls-left") return declined;
  return { ...declined, failure: failure.kind === "overflow" ? "prompt-too-long" : "api-error" };
}

/** The model has answered, but not with a summary. */
function unusable(why: string): RungResult {
  return { kind: "declined", why, failure: "no-summary" };
}

function promptOf({ variant, instructions }: LadderPlan) {
  return { variant, instructions };
}

function sumOf(rounds: readonly TranscriptRound[], { countTokens }: SummaryLimits): number {
  return rounds.reduce((sum, { text }) => sum + countTokens(text), 0);
}

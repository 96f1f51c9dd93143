import { lazyPattern } from "../../log/search-text.ts";
import type { ResponseContent } from "../../providers/provider.ts";
import { repairPrompt, summaryPrompt } from "./prompt.ts";
import { readSummary, type SummaryReading } from "./read.ts";
import {
  MAX_SECTIONS,
  type Missing,
  missingSections,
  namedPaths,
  readSections,
  SECTION_COUNT,
  type SummaryVariant,
} from "./sections.ts";

/** This many equal words in a row are not a coincidence. */
const RUN_WORDS = 8;
const FACTOR = 0x01000193;
/** The hash factor of the word that leaves a run. */
const LEAVING = Array.from({ length: RUN_WORDS - 1 }).reduce((power: number) => Math.imul(power, FACTOR), 1);

/**
 * Returns how much of a text was copied: the share of its runs of eight words that also occur in the source.
 * Whitespace, case and punctuation are ignored. Time grows with the source, memory with the words of the text.
 */
export function echoShare(text: string, source: string): number {
  const runs = new Map<number, number>();
  let count = 0;
  eachRun(text, (hash) => {
    count++;
    runs.set(hash, (runs.get(hash) ?? 0) + 1);
  });
  let copied = 0;
  if (count > 0)
    eachRun(source, (hash) => {
      copied += runs.get(hash) ?? 0;
      runs.delete(hash);
    });
  return count === 0 ? 0 : copied / count;
}

const wordPattern = lazyPattern(String.raw`[\p{L}\p{N}]+`, "gu");

/** A rolling hash, so that a conversation of millions of words is read once. */
function eachRun(text: string, visit: (hash: number) => void): void {
  const words: number[] = [];
  let hash = 0;
  for (const [word] of text.matchAll(wordPattern())) {
    const leaving = words.length < RUN_WORDS ? 0 : words[words.length - RUN_WORDS]!;
    const entering = hashOf(word.toLowerCase());
    hash = (Math.imul((hash - Math.imul(leaving, LEAVING)) | 0, FACTOR) + entering) | 0;
    words.push(entering);
    if (words.length >= RUN_WORDS) visit(hash);
    if (words.length > 4096) words.splice(0, words.length - RUN_WORDS);
  }
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), FACTOR);
  return hash;
}

/**
 * Guesses what an answer is that is not a summary. Used only for answers without most sections, so it changes the
 * report, not the decision: a good summary may well begin with an error.
 */
export function suspiciousAnswer(answer: string): "error-text" | "refusal" | undefined {
  // All tags but that of a web page: it says what the answer is.
  const text = answer.replace(/<\/?(?!html\b)[a-z]+>/gi, " ").trim();
  if (isErrorBody(text) || ERRORS.some((pattern) => pattern.test(text))) return "error-text";
  return REFUSAL.test(text) ? "refusal" : undefined;
}

/** Errors of programs, gateways and networks; all seen in place of a summary. */
const ERRORS: readonly RegExp[] = [
  /^\W{0,3}(?:an? )?(?:\w+ ){0,3}(?:error|exception|failure)\b/i,
  /^(?:http[ /]?\S* )?[45]\d\d\b/i,
  /^<?!?(?:doctype )?html\b/i,
  /^traceback \(most recent call last\)/i,
  /\bnet::ERR_|\b(?:ECONN(?:RESET|REFUSED|ABORTED)|ETIMEDOUT|ENOTFOUND|EPIPE|EAI_AGAIN)\b/,
  /^.{0,80}\b(?:rate[ _-]?limit|overloaded|quota|too many requests|timed? ?out|service unavailable|bad gateway)\b/i,
  /^.{0,80}\b(?:prompt is too long|context (?:length|window).{0,20}exceed|invalid api key|unauthori[sz]ed|credit balance)/i,
  /^.{0,80}\b(?:stream|connection|socket|request|fetch)\b.{0,20}\b(?:disconnected|closed|failed|aborted|reset|lost)\b/i,
  /^.{0,40}\b(?:failed|unable) to (?:generate|create|produce|get)\b/i,
  /^\W{0,3}no (?:summary|conversation|content|response|messages?)\b.{0,60}(?:\W|$)/i,
];

const REFUSAL =
  /^(?:i(?:['’]m| am) (?:very |so )?sorry|sorry|i apologi[sz]e|unfortunately,? i|i (?:can(?:not|['’]t)|won['’]t|will not|do not|don['’]t|am unable|am not able)|i['’]m (?:unable|not able)|as an ai\b)/i;

function isErrorBody(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  // A stream has several bodies, one per line; the first shows what they are.
  const fields = parse(text) ?? parse(text.split("\n")[0]!);
  if (typeof fields !== "object" || fields === null) return false;
  return ["error", "errors", "detail", "message", "code", "status"].some((name) => name in fields);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface SummaryAnswer {
  readonly text: string;
  readonly stop: ResponseContent["stop"];
  /** The number of tool calls in the answer. */
  readonly calls: number;
}

export interface SummaryLimits {
  /** Whether a path occurs in the log. */
  readonly isKnownPath: (path: string) => boolean;
  /** The size of the summarized content. */
  readonly sourceTokens: number;
  readonly maximumTokens: number;
  readonly countTokens: (text: string) => number;
  /** A summary must be smaller than its source by this share. @default 0.3 */
  readonly leastShrinkShare?: number;
  /** The requested range. @default "full" */
  readonly variant?: SummaryVariant;
}

export interface SummaryToCheck extends SummaryLimits {
  readonly answer: SummaryAnswer;
  /**
   * The summarized conversation, if the answer is compared with it. Without summaries of earlier parts: the next summary may
   * repeat what is still true in them.
   */
  readonly echoOf?: string;
}

export type CheckedSummary = FineSummary | RepairableSummary | RefusedSummary;

export interface FineSummary {
  readonly kind: "fine";
  readonly text: string;
}

export interface RepairableSummary {
  readonly kind: "repairable";
  readonly text: string;
  readonly missing: readonly Missing[];
  /** The prompt that asks for missing parts. */
  readonly prompt: string;
}

export interface RefusedSummary {
  readonly kind: "refused";
  readonly reason: RefusalReason;
  /** The problem with its numbers, for people. */
  readonly detail: string;
}

type RefusalReason =
  | "blank"
  | "tool-call-only"
  | "scratchpad-only"
  | "error-text"
  | "refusal"
  | "echo"
  | "unmarked"
  | "stopped"
  | "sections-missing"
  | "too-small"
  | "too-large";

/**
 * The share of a summary's word runs that may be copied. The prompt asks for quotes and snippets; they make up less than half
 * of a good summary.
 */
const MAX_COPIED_SHARE = 0.7;
/** A shorter summary is only headings: it is not worth a boundary, unless the source is short. */
const LEAST_TOKENS = 60;
const LITTLE_TO_TELL_TOKENS = 2_000;

/** Checks whether an answer may replace a conversation. Nothing is changed before it passes. */
export function checkSummary({ answer, echoOf = "", ...limits }: SummaryToCheck): CheckedSummary {
  if (answer.text.trim() === "")
    return answer.calls > 0 ? refuse("tool-call-only", `${answer.calls} calls, no text`) : refuse("blank", "no text");
  if (answer.stop === "refused") return refuse("refusal", "the model or its provider refused");
  const variant = limits.variant ?? "full";
  const request = `${summaryPrompt({ variant })}\n${echoOf}`;
  const reading = readSummary(answer.text);
  if (reading.kind === "none" || reading.sections.size < MAX_SECTIONS)
    return refuse(...whatElse(answer, reading, request));

  const copiedShare = echoShare(reading.text, request);
  if (copiedShare > MAX_COPIED_SHARE)
    return refuse("echo", `${Math.round(copiedShare * 100)}% of it was copied from the request`);
  const cut = isCut(answer.stop, reading.end);
  if (cut === "unknown") return refuse("stopped", `stop reason "${answer.stop}", and the summary was not closed`);
  const size = checkSize(reading.text, limits);
  if (size !== undefined) return size;

  const missing = [...missingIn(reading.text, cut), ...unknownPathsIn(reading.text, limits.isKnownPath)];
  if (missing.filter(({ kind }) => kind === "section").length > SECTION_COUNT - MAX_SECTIONS)
    return refuse("sections-missing", `cut off after ${reading.sections.size - 1} whole sections of 9`);
  if (missing.length === 0) return { kind: "fine", text: reading.text };
  return { kind: "repairable", text: reading.text, missing, prompt: repairPrompt(missing, variant) };
}

/** A summary that is too large is refused: a result that does not shrink is not installed. */
export function checkSize(text: string, limits: SummaryLimits): RefusedSummary | undefined {
  const { sourceTokens, maximumTokens, countTokens, leastShrinkShare = 0.3 } = limits;
  const tokens = countTokens(text);
  const limitTokens = Math.min(maximumTokens, Math.floor(sourceTokens * (1 - leastShrinkShare)));
  if (tokens > limitTokens)
    return refuse("too-large", `${tokens} tokens, at most ${limitTokens} for ${sourceTokens} tokens of source`);
  const saidTokens = countTokens([...readSections(text).byNumber.values()].map(withoutHeading).join("\n"));
  if (sourceTokens >= LITTLE_TO_TELL_TOKENS && saidTokens < LEAST_TOKENS)
    return refuse("too-small", `${saidTokens} tokens below its headings for ${sourceTokens} tokens of source`);
  return undefined;
}

export function refuse(reason: RefusalReason, detail: string): RefusedSummary {
  return { kind: "refused", reason, detail };
}

function whatElse(answer: SummaryAnswer, reading: SummaryReading, request: string): [RefusalReason, string] {
  const suspicion = suspiciousAnswer(answer.text);
  const begin = JSON.stringify(answer.text.trim().slice(0, 80).toWellFormed());
  if (suspicion !== undefined) return [suspicion, `begins with ${begin}`];
  if (echoShare(answer.text, request) > MAX_COPIED_SHARE) return ["echo", `begins with ${begin}`];
  if (reading.kind === "none") return [reading.reason, `no summary in it; begins with ${begin}`];
  if (answer.stop !== "end")
    return ["stopped", `stop reason "${answer.stop}" after ${reading.sections.size} sections of 9`];
  return ["sections-missing", `${reading.sections.size} sections of 9`];
}

/** The summary's own end tag proves that it is complete: text after it does not matter. */
function isCut(
  stop: SummaryAnswer["stop"],
  end: Extract<SummaryReading, { kind: "summary" }>["end"],
): "whole" | "cut" | "unknown" {
  if (end === "closed") return "whole";
  // A model that forgets the end tag has still finished; one that turns to a tool has not.
  if (stop === "end" || (stop === "tools" && end === "bare")) return "whole";
  return stop === "length" || stop === "window" || stop === "tools" ? "cut" : "unknown";
}

/** In a truncated answer the last section is incomplete, too. */
function missingIn(text: string, cut: "whole" | "cut"): readonly Missing[] {
  const sections = readSections(text);
  const last = cut === "cut" ? [...sections.byNumber.keys()].at(-1) : undefined;
  const numbers = [...missingSections(sections), ...(last === undefined ? [] : [last])];
  return numbers.sort((a, b) => a - b).map((number) => ({ kind: "section", number }));
}

function unknownPathsIn(text: string, isKnownPath: SummaryLimits["isKnownPath"]): readonly Missing[] {
  const paths = new Set(namedPaths(text).map(({ path }) => path));
  return [...paths].filter((path) => !isKnownPath(path)).map((path) => ({ kind: "path", path }));
}

function withoutHeading(section: string): string {
  const [heading = "", ...below] = section.split("\n");
  return [heading.split(/[:：]/).slice(1).join(":"), ...below].join("\n");
}

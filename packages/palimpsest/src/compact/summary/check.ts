import type { ResponseContent } from "../../providers/provider.ts";
import { echoShare } from "../../stages/compact/summary/echo-share.ts";
import { namedPaths } from "../../stages/compact/summary/named-paths.ts";
import {
  MAX_SECTIONS,
  type Missing,
  SECTION_COUNT,
  type SummaryVariant,
} from "../../stages/compact/summary/sections.ts";
import { suspiciousAnswer } from "../../stages/compact/summary/suspicious-answer.ts";
import { repairPrompt, summaryPrompt } from "./prompt.ts";
import { readSummary, type SummaryReading } from "./read.ts";
import { missingSections, readSections } from "./sections.ts";

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

export type RefusalReason =
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

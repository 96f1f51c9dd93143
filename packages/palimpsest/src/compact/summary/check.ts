// Checks an answer against the engine's rules and its form, and asks the model at most one question about it.

import type { SummaryAttempt } from "../../log/payload-compaction.ts";
import { lazyPattern } from "../../log/search-text.ts";
import { FAILURES_TO_PAUSE, type RuleFailure, verdictOf } from "../../policy/guard.ts";
import type { SummaryAsk, SummaryForm, Verdict } from "../../policy/policy.ts";
import type { CallResult, SummaryAnswer } from "./calls.ts";
import { countHeadings, isEmptySummary, repairPrompt, splitSections, summaryPrompt } from "./forms.ts";
import { markUnknownPaths, namedPaths, renamePaths } from "./paths.ts";

/** What happened so far on the way to a summary. */
export interface Course {
  readonly attempts: SummaryAttempt[];
  /** Functions of the summary that failed. */
  readonly failures: RuleFailure[];
  /** `paused`: the builder's functions failed too often, and are not called. The engine's prompt takes their place. */
  readonly rule: "called" | "paused";
  /** A compaction asks one question about a summary, however many ways it tries. */
  repair: "left" | "used";
}

/** A form with all that its check needs. */
export interface CheckedForm {
  readonly form: SummaryForm;
  /** What the form asks for. */
  readonly prompt: string;
  readonly ask: SummaryAsk;
  readonly options: CheckOptions;
}

type Settled =
  /** `why`: what the form lacks, if it is not met. */
  | { readonly kind: "usable"; readonly text: string; readonly met: boolean; readonly why: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "aborted" };

const OK: Verdict = { kind: "ok" };
const CUT_OFF = "Your summary was cut off. What was whole is kept. Write what is missing at its end, briefly.";

/** The same form, which accepts every usable text. */
export function acceptedBy(form: CheckedForm): CheckedForm {
  return { ...form, form: { ...form.form, check: () => OK } };
}

export async function settleAnswer(
  answer: SummaryAnswer,
  checked: CheckedForm,
  course: Course,
  askAgain: (words: string) => Promise<CallResult>,
): Promise<Settled> {
  const { ask, options } = checked;
  const request = `${summaryPrompt({ variant: "full", form: checked.prompt, instructions: "" })}\n${options.request}`;
  const reading = checkAnswer(answer, { ...options, request });
  if (reading.kind === "refused") return reading;
  const verdict = verdictOn(reading.text, checked, course, reading.end);
  if (verdict.kind === "ok") return usable(markUnknownPaths(reading.text, ask.isKnown), checked, course, OK);
  if (verdict.kind === "refuse") return { kind: "refused", why: verdict.why };
  let more: SummaryAnswer | undefined;
  if (course.repair === "left") {
    course.repair = "used";
    const called = await askAgain(repairPrompt(verdict.ask));
    if (called.kind === "failed" && called.failure.kind === "aborted") return { kind: "aborted" };
    if (called.kind === "answer") more = called.answer;
  }
  const joined = joinRepair(reading.text, more, ask.isKnown).filter((one) => checkSize(one, options) === undefined);
  const before = markUnknownPaths(reading.text, ask.isKnown);
  const verdicts = joined.map((text) => ({ text, verdict: verdictOn(text, checked, course, "whole") }));
  const best = verdicts.find((one) => one.verdict.kind === "ok") ?? verdicts[0] ?? { text: before, verdict };
  const isStillCut = reading.end === "cut" && (more === undefined || best.text === before);
  if (best.verdict.kind === "ok" && !isStillCut) return usable(best.text, checked, course, OK);
  return usable(
    best.text,
    checked,
    course,
    best.verdict.kind === "ok" ? { kind: "repair", ask: CUT_OFF } : best.verdict,
  );
}

/** A shorter text that does not meet its form is a remark, not a summary, unless there was little to tell. */
const MIN_TOKENS = 20;
const LITTLE_TO_TELL_TOKENS = 2_000;

/** A text that does not meet its form is used all the same if the form says so: it was paid for, and is better than none. */
function usable(text: string, { form, options }: CheckedForm, course: Course, verdict: Verdict): Settled {
  const broken = brokenForm(form, course);
  const why = broken ?? unmetBecause(verdict);
  if (verdict.kind === "refuse") return { kind: "refused", why };
  if (verdict.kind === "repair" && form.ifUnmet === "refuse") return { kind: "refused", why };
  const tokens = options.countTokens(text);
  if (verdict.kind === "repair" && tokens < MIN_TOKENS && options.sourceTokens >= LITTLE_TO_TELL_TOKENS) {
    return { kind: "refused", why: `only ${tokens} tokens for ${options.sourceTokens} tokens of source; ${why}` };
  }
  return { kind: "usable", text, met: verdict.kind === "ok" && broken === undefined, why };
}

/** Why nobody knows whether a text meets its form. */
function brokenForm({ name }: SummaryForm, { failures, rule }: Course): string | undefined {
  if (rule === "paused") return `the form ${name} is paused, because it failed ${FAILURES_TO_PAUSE} times in a row`;
  const failure = failures.find(({ where }) => where !== "write");
  return failure && `the ${failure.where} of ${name} failed: ${failure.why}`;
}

function unmetBecause(verdict: Verdict): string {
  if (verdict.kind === "refuse") return verdict.why;
  return verdict.kind === "repair" ? `still asked for: ${verdict.ask.split("\n", 3).join(" ")}` : "";
}

/** Asks the check of a form, and whether the answer is complete. */
function verdictOn(text: string, { form, ask }: CheckedForm, course: Course, end: "whole" | "cut"): Verdict {
  const { value: verdict, failure } = course.rule === "paused" ? { value: OK } : verdictOf(form, text, ask);
  addFailure(course, failure);
  return end === "whole" || verdict.kind !== "ok" ? verdict : { kind: "repair", ask: CUT_OFF };
}

/** A check runs more than once; its failure is reported once. */
export function addFailure({ failures }: Course, failure: RuleFailure | undefined): void {
  if (failure !== undefined && failures.every(({ where }) => where !== failure.where)) failures.push(failure);
}

// ------------------------------------------------------------------------------------------------ the engine's rules

/** What the engine's checks compare a summary with. */
export interface CheckOptions {
  /** The size of the summarized content. */
  readonly sourceTokens: number;
  readonly maximumTokens: number;
  readonly countTokens: (text: string) => number;
  /** The prompt and the conversation, without summaries of earlier parts: the next summary may repeat what is still true in them. */
  readonly request: string;
}

export type CheckedSummary =
  /** `cut`: the answer ended before the summary did. The section that was cut off is left out. */
  { readonly kind: "usable"; readonly text: string; readonly end: "whole" | "cut" } | RefusedSummary;

interface RefusedSummary {
  readonly kind: "refused";
  /** The problem with its numbers, for people. */
  readonly why: string;
}

/**
 * The share of a summary's word runs that may be copied. The prompt asks for quotes and snippets; they make up less than half
 * of a good summary.
 */
const MAX_COPIED_SHARE = 0.7;
/** A summary must be smaller than its source by this share. */
const MIN_SHRINK = 0.3;
/** A text of this length that begins like an error or a refusal is one. */
const SHORT_CHARACTERS = 500;
/** A summary with a smaller share of its answer is a scrap. */
const SCRAP_SHARE = 0.1;
/** So many headings make a summary of a text without tags. */
const FEW_HEADINGS = 2;

/** Checks whether a model's answer holds a summary that may replace a conversation, in whatever form. */
export function checkAnswer(answer: SummaryAnswer, options: CheckOptions): CheckedSummary {
  if (answer.text.trim() === "") return refuse(answer.calls > 0 ? `${answer.calls} tool calls, no text` : "no text");
  if (answer.stop === "refused") return refuse("the model or its provider refused");
  const reading = readSummary(answer.text);
  if (reading.kind === "none") return refuse(whatElse(answer, reading, options));
  const isBare = reading.end === "bare" && countHeadings(reading.text) < FEW_HEADINGS;
  if (isBare && answer.calls > 0)
    return refuse(`${answer.calls} tool calls, and text that is not between <summary> tags`);
  // A copy of the prompt has our tags, and next to nothing between them.
  const isScrap = reading.text.length < answer.text.length * SCRAP_SHARE;
  if (isScrap && echoShare(answer.text, options.request) > MAX_COPIED_SHARE)
    return refuse(`echo: begins with ${beginOf(answer.text)}`);
  const problem = checkText(reading.text, options, isBare ? "bare" : "marked");
  if (problem !== undefined) return problem;
  const cut = isCut(answer.stop, reading.end);
  if (cut === "unknown") return refuse(`stop reason "${answer.stop}", and the summary was not closed`);
  if (cut === "whole") return { kind: "usable", text: reading.text, end: "whole" };
  const kept = withoutLastSection(reading.text);
  return kept === "" ? refuse("cut off in the first section") : { kind: "usable", text: kept, end: "cut" };
}

/** The checks that a summary by the host's own code passes, too. */
export function checkText(
  text: string,
  options: CheckOptions,
  from: "marked" | "bare" = "bare",
): RefusedSummary | undefined {
  const size = checkSize(text, options);
  if (size !== undefined) return size;
  if (isEmptySummary(text)) return refuse("nothing below its headings");
  const looksLike = (from === "bare" || text.length <= SHORT_CHARACTERS) && countHeadings(text) < FEW_HEADINGS;
  const suspicion = looksLike ? suspiciousAnswer(text.replace(/^Summary:\n/, "")) : undefined;
  if (suspicion !== undefined) return refuse(`${suspicion}: begins with ${beginOf(text)}`);
  const copiedShare = echoShare(text, options.request);
  if (copiedShare <= MAX_COPIED_SHARE) return undefined;
  return refuse(`echo: ${Math.round(copiedShare * 100)}% of it was copied from the request`);
}

/** A summary that is too large is refused: a result that does not shrink is not installed. */
function checkSize(
  text: string,
  { sourceTokens, maximumTokens, countTokens }: CheckOptions,
): RefusedSummary | undefined {
  const tokens = countTokens(text);
  const limitTokens = Math.min(maximumTokens, Math.floor(sourceTokens * (1 - MIN_SHRINK)));
  if (tokens <= limitTokens) return undefined;
  return refuse(`too large: ${tokens} tokens, at most ${limitTokens} for ${sourceTokens} tokens of source`);
}

function refuse(why: string): RefusedSummary {
  return { kind: "refused", why };
}

function whatElse(
  { text, stop }: SummaryAnswer,
  { reason }: Extract<SummaryReading, { kind: "none" }>,
  { request }: CheckOptions,
): string {
  const suspicion = suspiciousAnswer(text);
  if (suspicion !== undefined) return `${suspicion}: begins with ${beginOf(text)}`;
  if (echoShare(text, request) > MAX_COPIED_SHARE) return `echo: begins with ${beginOf(text)}`;
  const stopped = stop === "end" ? "" : `, stop reason "${stop}"`;
  return `${reason}: no summary in it${stopped}; begins with ${beginOf(text)}`;
}

function beginOf(text: string): string {
  return JSON.stringify(text.trim().slice(0, 80).toWellFormed());
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

/** The last section of a text that was cut off is incomplete. A text without headings stays as it is. */
function withoutLastSection(text: string): string {
  const { opening, sections } = splitSections(text);
  if (sections.length === 0) return text;
  const kept = sections.slice(0, -1).map((section) => section.text);
  return kept.length === 0 ? "" : [opening, ...kept].join("\n").trim();
}

// ------------------------------------------------------------------------------------------------ copies, errors and refusals

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

/** Guesses whether a text is an error or a refusal. Only for texts that do not look like a summary: a good one may begin with an error. */
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

// ------------------------------------------------------------------------------------------------ the answer to the question

/** The form in which a check may ask for a path: `path: as written => corrected`. */
const RENAMED = /^\W{0,10}path:/i;
/** A path is shorter than that, and so is the line that corrects one. */
const MAX_RENAMED_CHARACTERS = 1_000;

function renamingIn(line: string): readonly [wrong: string, right: string] | undefined {
  const name = line.length > MAX_RENAMED_CHARACTERS ? null : RENAMED.exec(line);
  const arrow = line.indexOf("=>");
  if (name === null || arrow === -1) return undefined;
  const [wrong, right] = [line.slice(name[0].length, arrow), line.slice(arrow + 2)].map(withoutTicks);
  return wrong && right ? [wrong, right] : undefined;
}

function withoutTicks(written: string): string {
  const path = written.trim();
  return path.slice(path.startsWith("`") ? 1 : 0, path.endsWith("`") ? -1 : undefined);
}

/** An answer of this share of the summary's length may be a new summary, although only a part was asked for. */
const WHOLE_SHARE = 0.7;

/**
 * Returns the texts that a summary and the answer can mean together, the most careful one first: sections that were missing are
 * added, then also replaced, then the answer stands alone. Paths are corrected if the log contains the new one, and otherwise marked.
 */
export function joinRepair(
  text: string,
  answer: SummaryAnswer | undefined,
  isKnown: (path: string) => boolean,
): readonly string[] {
  // An answer that was cut off again is no improvement.
  const usable = answer?.stop === "end" || answer?.stop === "tools" ? withoutScratchpads(answer.text) : "";
  const said = usable
    .replace(/\r\n?/g, "\n")
    .replace(/<\/?summary>/gi, "")
    .trim();
  const renamings = renamingsIn(said);
  const more = withoutRenamings(said);
  const settled = (one: string): string => settlePaths(one, renamings, isKnown).toWellFormed();
  if (more === "") return [settled(text)];
  const isWhole = more.length >= text.length * WHOLE_SHARE;
  const joined = [joinSections(text, more, "added"), joinSections(text, more, "replaced")];
  return [...joined, ...(isWhole ? [`Summary:\n${more}`] : [])].map(settled);
}

/** Text without headings is put at the end. */
function joinSections(text: string, more: string, how: "added" | "replaced"): string {
  const before = splitSections(text);
  const after = splitSections(more);
  if (after.sections.length === 0) return `${text}\n\n${more}`;
  const known = new Map(before.sections.map((section) => [section.key, section.text]));
  for (const { key, text: section } of after.sections) {
    if (how === "replaced" || !known.has(key)) known.set(key, section);
  }
  const all = [...known];
  const isNumbered = all.every(([key]) => typeof key === "number");
  const ordered = isNumbered ? all.sort(([a], [b]) => Number(a) - Number(b)) : all;
  return [before.opening, ...ordered.map(([, section]) => section)].join("\n\n").replace(/^Summary:\n\n/, "Summary:\n");
}

function renamingsIn(said: string): ReadonlyMap<string, string> {
  return new Map(
    said.split("\n").flatMap((line): [string, string][] => {
      const [wrong, right] = renamingIn(line) ?? [];
      return wrong === undefined || right === undefined ? [] : [[wrong, right]];
    }),
  );
}

function withoutRenamings(said: string): string {
  const lines = said.split("\n").filter((line) => renamingIn(line) === undefined);
  return lines.join("\n").trim();
}

function settlePaths(text: string, renamings: ReadonlyMap<string, string>, isKnown: (path: string) => boolean): string {
  const renamed = renamePaths(text, (path) => {
    const right = isKnown(path) ? undefined : renamings.get(path);
    const isPath = right !== undefined && namedPaths(right).some((named) => named.path === right);
    return isPath && isKnown(right) ? right : path;
  });
  return markUnknownPaths(renamed, isKnown);
}

// ------------------------------------------------------------------------------------------------ the summary in an answer

type SummaryReading =
  | {
      readonly kind: "summary";
      readonly text: string;
      /** `cut`: the summary was begun and never closed. `bare`: it came without tags. */
      readonly end: "closed" | "cut" | "bare";
    }
  | {
      readonly kind: "none";
      /** `unmarked`: a short text without tags. */
      readonly reason: "blank" | "scratchpad-only" | "unmarked";
    };

interface Tag {
  readonly at: number;
  readonly end: number;
  readonly side: "open" | "close";
  readonly name: "scratchpad" | "summary";
}

/** A quoted tag is only mentioned. Some models think in their own tags. */
const TAG =
  /(?<![`"'“‘])<[ \t]{0,4}(\/?)[ \t]{0,4}(analysis|scratchpad|think|thinking|summary)(?:\s[^<>\n]{0,200})?>/gi;
const ESCAPED_TAG = /&lt;[ \t]{0,4}(\/?)[ \t]{0,4}(analysis|summary)[ \t]{0,4}&gt;/gi;

/** A shorter text without tags is a remark, not a summary. */
const BARE_CHARACTERS = 200;

/** Extracts the summary from a model's answer. It does not judge its quality. */
export function readSummary(answer: string): SummaryReading {
  if (answer.trim() === "") return { kind: "none", reason: "blank" };
  const plain = answer.replace(/\r\n?/g, "\n");
  const text = findTags(plain).length === 0 ? plain.replace(ESCAPED_TAG, "<$1$2>") : plain;
  const kept = withoutScratchpads(text);
  const found = bestBlock(kept) ?? blockInScratchpad(text);
  if (found !== undefined) return toReading(found.body, found.end);
  if (kept.trim() === "") return { kind: "none", reason: "scratchpad-only" };
  return kept.trim().length >= BARE_CHARACTERS ? toReading(kept, "bare") : { kind: "none", reason: "unmarked" };
}

/** Removes scratchpads from an answer, and leaves the rest. */
function withoutScratchpads(text: string): string {
  const tags = findTags(text);
  let kept = "";
  let from = 0;
  for (let index = 0; index < tags.length; index++) {
    const tag = tags[index]!;
    if (tag.name !== "scratchpad" || tag.at < from) continue;
    if (tag.side === "close") {
      // The opening tag was in the request, so everything up to here is thinking.
      if (tags.slice(0, index).every(({ name }) => name === "scratchpad")) kept = "";
      else kept += text.slice(from, tag.at);
      from = tag.end;
      continue;
    }
    kept += text.slice(from, tag.at);
    from = endOfScratchpad(tags, index) ?? text.length;
  }
  return kept + text.slice(from);
}

/** A scratchpad that is never closed ends where the summary begins. */
function endOfScratchpad(tags: readonly Tag[], opened: number): number | undefined {
  let depth = 0;
  for (const { name, side, end } of tags.slice(opened)) {
    if (name !== "scratchpad") continue;
    depth += side === "open" ? 1 : -1;
    if (depth === 0) return end;
  }
  return tags.slice(opened).find(({ name, side }) => name === "summary" && side === "open")?.at;
}

interface Found {
  readonly body: string;
  readonly end: "closed" | "cut";
}

/** Returns the summary with the most headings; of equals the last, since a model that writes twice has reconsidered. */
function bestBlock(text: string): Found | undefined {
  let best: { readonly found: Found; readonly sections: number } | undefined;
  for (const found of blocksOf(text)) {
    const sections = countHeadings(found.body);
    if (best === undefined || sections >= best.sections) best = { found, sections };
  }
  return best?.found;
}

function blockInScratchpad(text: string): Found | undefined {
  const found = bestBlock(text);
  return found?.end === "closed" && !isEmptySummary(found.body) ? found : undefined;
}

/** Returns the outermost blocks, without summary tags inside them. */
function blocksOf(text: string): readonly Found[] {
  const tags = findTags(text).filter(({ name }) => name === "summary");
  const found: Found[] = [];
  let open: { readonly from: number; depth: number; closedAt: number | undefined } | undefined;
  for (const { side, at, end } of tags) {
    if (side === "open") {
      open ??= { from: end, depth: 0, closedAt: undefined };
      open.depth++;
    } else if (open !== undefined) {
      open.closedAt = at;
      if (--open.depth > 0) continue;
      found.push({ body: text.slice(open.from, at).replace(TAG, ""), end: "closed" });
      open = undefined;
    }
  }
  if (open === undefined) return found;
  const { from, closedAt } = open;
  const end = closedAt === undefined ? "cut" : "closed";
  return [...found, { body: text.slice(from, closedAt).replace(TAG, ""), end }];
}

function toReading(body: string, end: "closed" | "cut" | "bare"): SummaryReading {
  const text = tidy(body);
  if (text === "") return { kind: "none", reason: "blank" };
  return { kind: "summary", text: `Summary:\n${text}`, end };
}

/** Providers refuse half of a surrogate pair. */
function tidy(body: string): string {
  return body
    .trim()
    .replace(/^(?:#{1,6} *|\*\*)?summary:?(?:\*\*)?:?[ \t]*\n+/i, "")
    .replace(/\n(?:[ \t]*\n){2,}/g, "\n\n")
    .toWellFormed();
}

function findTags(text: string): readonly Tag[] {
  return Array.from(text.matchAll(TAG), (match) => ({
    at: match.index,
    end: match.index + match[0].length,
    side: match[1] === "/" ? "close" : "open",
    name: match[2]!.toLowerCase() === "summary" ? "summary" : "scratchpad",
  }));
}

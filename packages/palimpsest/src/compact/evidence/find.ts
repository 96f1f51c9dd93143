// Finds names, numbers, rules of the user and decisions of the model in texts.

import { lazyPattern } from "../../log/search-text.ts";
import { headOf } from "../../text.ts";

/** A kind of text that may be needed again letter for letter. */
export type FactSort = "path" | "url" | "identifier" | "number";

export interface Fact {
  readonly text: string;
  readonly sort: FactSort;
  /** The words before a number: the number alone has no meaning. */
  readonly near?: string;
}

/** Only the beginning and the end of a long text are searched: one shows what the text is, the other its outcome. */
const HEAD_CHARACTERS = 24_000;
const TAIL_CHARACTERS = 16_000;
/** Longer text is data, not a name. */
const MAX_FACT_CHARACTERS = 160;
/** With the marks around the name. */
const MAX_RUN_CHARACTERS = 400;

/** Runs of characters that can form names, paths, URLs and numbers. */
const runs = lazyPattern(String.raw`[\p{L}\p{N}_$~@./\\:#%?&=+-]{4,}`, "gu");
const URL = /^https?:\/\/[^\s]+$/;
/** Segments between slashes; the last has an extension, or there are at least two. */
const PART = String.raw`[\p{L}\p{N}_$@.+-]+`;
const path = lazyPattern(String.raw`^(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/]?${PART})(?:[\\/]${PART})*[\\/]?$`, "u");
const fileName = lazyPattern(String.raw`^(?!\.)${PART}\.[A-Za-z][A-Za-z0-9]{0,5}$`, "u");
/** Extensions that make a single word a file. Others (`strings.Builder`) are members of an object. */
const ENDINGS =
  /\.(?:[cm]?[jt]sx?|go|py|rs|rb|java|kt|swift|cs?|h|hpp|cc|cpp|php|sh|bash|zsh|ps1|sql|json[cl5]?|ya?ml|toml|xml|html?|s?css|less|md|mdx|txt|csv|lock|mod|sum|env|ini|cfg|conf|log|png|svg|proto|tf|vue|svelte|ipynb|zst|gz|db)$/i;
/** Has a unit or a decimal point, or is long enough to be unique. */
const NUMBER = /^[#v]?\d[\d.,_]*(?:%|[a-zA-Z]{1,3})?$/;
const NUMBER_WITH_UNIT =
  /\b\d[\d.,_]{0,40} (?:ms|s|sec|seconds|min|minutes|hours|days|[KMGT]i?B|bytes|tokens|px|Hz|%)(?=\W|$)/g;
/** `1,284` and `1,284,006.5`: the groups distinguish a number from a list. */
const GROUPED_NUMBER = /(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])/g;
const noName = lazyPattern(String.raw`[^\p{L}\p{N}_$-]+`, "u");
const beforeWords = lazyPattern(String.raw`^[^\p{L}\p{N}]+`, "u");
const marksBeforeWord = lazyPattern(String.raw`^[.:#&?=+%-]+(?=[\p{L}\p{N}])`, "u");
const twoLetters = lazyPattern(String.raw`\p{L}{2}`, "u");
/** Joined by `_` or `$`, by a capital letter, or by a digit; or of at least three parts with hyphens. */
const coined = lazyPattern(
  String.raw`[\p{L}\p{N}][_$][\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+){2,}$`,
  "u",
);
const LEAST_NAME_CHARACTERS = 8;

/**
 * Returns the facts in a text, each once, in the order of their first occurrence. `ends`: searches only the ends of a
 * long text.
 */
export function findFacts(text: string, extent: "whole" | "ends" = "whole"): Fact[] {
  const found = new Map<string, Fact>();
  // Texts repeat their names: a run of characters yields the same facts each time.
  const taken = new Set<string>();
  for (const piece of extent === "whole" ? [text] : endsOf(text)) {
    const add = (fact: string, sort: FactSort, at: number): void => {
      if (found.has(fact)) return;
      const near = sort === "number" ? wordsBefore(piece, at) : "";
      found.set(fact, { text: fact, sort, ...(near === "" ? {} : { near }) });
    };
    // Numbers with units first, so that a number with its unit is not repeated without it.
    const units = new Set<number>();
    for (const { 0: number, index } of piece.matchAll(NUMBER_WITH_UNIT)) {
      add(number, "number", index);
      units.add(index);
    }
    for (const { 0: number, index } of piece.matchAll(GROUPED_NUMBER)) {
      if (!units.has(index)) add(number, "number", index);
    }
    const rest = piece.replace(GROUPED_NUMBER, (number) => " ".repeat(number.length));
    for (const { 0: run, index } of rest.matchAll(runs())) {
      if (units.has(index) || taken.has(run)) continue;
      taken.add(run);
      takeRun(run, (fact, sort) => add(fact, sort, index));
    }
  }
  return [...found.values()];
}

const NEAR_CHARACTERS = 28;

function wordsBefore(text: string, at: number): string {
  const line = text
    .slice(Math.max(0, at - NEAR_CHARACTERS), at)
    .split("\n")
    .at(-1)!;
  const whole = at > NEAR_CHARACTERS && line.length === NEAR_CHARACTERS ? line.replace(/^\S*\s?/, "") : line;
  return whole.replace(beforeWords(), "").trim().toWellFormed();
}

function endsOf(text: string): string[] {
  if (text.length <= HEAD_CHARACTERS + TAIL_CHARACTERS) return [text];
  return [text.slice(0, HEAD_CHARACTERS), text.slice(-TAIL_CHARACTERS)];
}

function takeRun(run: string, add: (fact: string, sort: FactSort) => void): void {
  if (run.length > MAX_RUN_CHARACTERS) return;
  const word = run.replace(marksBeforeWord(), "").replace(/[.:?&=+\\-]+$/, "");
  if (word.length > MAX_FACT_CHARACTERS) return;
  // Compilers and searches write places as path:line:column.
  const place = word.replace(/(?::\d+){1,2}(?::.*)?$/, "");
  if (URL.test(word)) add(word, "url");
  else if (isPath(place)) add(place, "path");
  else if (!NUMBER.test(word)) for (const name of word.split(noName()).filter(isTellingName)) add(name, "identifier");
  else if (isTellingNumber(word)) add(word, "number");
}

function isPath(word: string): boolean {
  if (!/[\\/]/.test(word)) return fileName().test(word) && ENDINGS.test(word);
  // Patterns and escapes have backslashes too.
  if (word.includes("\\") && !/^(?:[A-Za-z]:\\|\\\\)/.test(word)) return false;
  if (word.startsWith("/dev/") || !path().test(word) || !twoLetters().test(word) || word.length < 5) return false;
  // "and/or", "read/write" are prose.
  return ENDINGS.test(word) || word.split(/[\\/]/).length > 2;
}

function isTellingNumber(word: string): boolean {
  const digits = word.replace(/\D/g, "").length;
  return digits >= 4 || /[a-zA-Z%]$/.test(word) || word.startsWith("#") || /\d\.\d/.test(word);
}

/** Whether a name was coined, unlike the ordinary words of any language. */
function isTellingName(name: string): boolean {
  // A short commit hash.
  if (/^(?=.*\d)(?=.*[a-f])[0-9a-f]{7}$/.test(name)) return true;
  // A ticket number of an issue tracker.
  if (/^[A-Z]{2,10}-\d{2,6}$/.test(name)) return true;
  if (name.length < LEAST_NAME_CHARACTERS) return false;
  return coined().test(name);
}

/** Words with which people correct, forbid, decide and insist. */
const MARKS =
  /\b(?:no[,.!]|not|don'?t|do not|never|always|must(?:n'?t)?|instead|rather than|only|without|wrong|stop|avoid|revert|undo|should(?:n'?t)?|prefer|make sure|ensure|keep|leave|forget|actually|decided?|let'?s|we (?:use|will|want|need)|at (?:most|least)|required?|forbidden|nicht|kein\w*|niemals?|immer|statt|muss)\b/i;
/** Words with which one of several options is chosen. */
const CHOICE =
  /\b(?:decid(?:e|ed|ing)|decision|instead of|rather than|settled? on|opt(?:ed|ing)? for|ruled? out|go(?:ing)? with|went with|chose|gave up on)\b/i;
const MAX_DECISIONS = 4;
/** The beginning of a reply that takes something back. */
const CORRECTION =
  /^\s*(?:no\b|nope|wait|stop|actually|that'?s (?:not|wrong)|wrong|don'?t|do not|not |instead|hmm|nein)/i;
const MAX_RULE_CHARACTERS = 280;
/** A long message (a paste, a plan) contains hardly any sentence of the user's own. */
const LOOKED_AT_CHARACTERS = 6_000;
const MAX_RULES = 12;
const betweenSentences = lazyPattern(String.raw`\n+|(?<=[.!?])\s+(?=\p{Lu})`, "u");

/** Returns the sentences of a user's message that correct, forbid, decide or insist, verbatim. */
export function findRules(text: string): string[] {
  return sentencesWith(text, MARKS).slice(0, MAX_RULES);
}

/** Returns the sentences of a model's message that choose one of several options, verbatim. */
export function findDecisions(text: string): string[] {
  return sentencesWith(text, CHOICE).slice(0, MAX_DECISIONS);
}

function sentencesWith(text: string, mark: RegExp): string[] {
  return text
    .slice(0, LOOKED_AT_CHARACTERS)
    .split(betweenSentences())
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 5 && mark.test(sentence))
    .map((sentence) => headOf(sentence, MAX_RULE_CHARACTERS).toWellFormed());
}

/** Whether a message corrects an earlier action or statement. */
export function isCorrection(text: string): boolean {
  return (
    CORRECTION.test(text.slice(0, 200)) ||
    (text.length < 600 && /\b(?:don'?t|never|instead|wrong|revert|undo)\b/i.test(text))
  );
}

/** A longer line is data or prose: it would take the room of several others. */
const MAX_CHARACTERS = 240;
/** A line with less beside the name says no more than the name. */
const LEAST_MORE_CHARACTERS = 4;
/** A name that occurs in more places is searched in the last of them only. */
const MAX_OCCURRENCES = 20;
/** Some tools number the lines of a file. */
const LINE_NUMBER = /^\s*\d{1,7}[\t\u2192]/;
const nameCharacter = lazyPattern(String.raw`[\p{L}\p{N}_$]`, "u");

/** Returns the last line of a text that shows a name, without its number and indentation; undefined if none is worth quoting. */
export function findLine(text: string, name: string): string | undefined {
  let at = text.lastIndexOf(name);
  for (let seen = 0; at >= 0 && seen < MAX_OCCURRENCES; seen++) {
    const line = isWhole(text, at, name) ? lineAt(text, at) : undefined;
    if (line !== undefined && line.length >= name.length + LEAST_MORE_CHARACTERS) return line;
    at = at === 0 ? -1 : text.lastIndexOf(name, at - 1);
  }
  return undefined;
}

/** Not a part of a longer name. */
function isWhole(text: string, at: number, name: string): boolean {
  return !nameCharacter().test(text[at - 1] ?? "") && !nameCharacter().test(text[at + name.length] ?? "");
}

function lineAt(text: string, at: number): string | undefined {
  const end = text.indexOf("\n", at);
  const line = text
    .slice(text.lastIndexOf("\n", at) + 1, end < 0 ? undefined : end)
    .replace(LINE_NUMBER, "")
    .trim();
  return line.length > MAX_CHARACTERS ? undefined : line;
}

import { lazyPattern } from "../../log/lazy-pattern.ts";

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
  /\b\d[\d.,_]* (?:ms|s|sec|seconds|min|minutes|hours|days|[KMGT]i?B|bytes|tokens|px|Hz|%)(?=\W|$)/g;
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

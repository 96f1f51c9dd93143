import type { Statement } from "./statement.ts";
import {
  clausesOf,
  isConditional,
  isNegated,
  isSameWord,
  namesIn,
  plain,
  sentenceAt,
  sentencesOf,
  tellingWords,
} from "./words.ts";

/** A fact to remember, and the quote from the session that it is based on. */
export interface Claim {
  readonly text: string;
  readonly quote: string;
}

/**
 * `supported`: the user said it. `unsure`: it was said, but not by the user, or the user said something else: only the user can
 * tell. `unfounded`: nobody said it.
 */
export type CheckedClaim =
  | { readonly kind: "supported"; readonly entry: number }
  | { readonly kind: "unsure"; readonly entry: number; readonly by: Statement["by"]; readonly why: string }
  | { readonly kind: "unfounded"; readonly why: string };

/** A shorter quote occurs in any conversation. */
const MIN_QUOTE_WORDS = 2;
/** The share of a claim's words that must be the user's: the rest is phrasing. */
const MIN_OWN_SHARE = 0.8;

/**
 * Checks a claim against the session. A page or a file can talk a model into remembering what its author wants, with an
 * innocent quote of the user beside it. So a real quote is not enough: the claim must be made of the user's words.
 */
export function checkClaim(claim: Claim, said: readonly Statement[]): CheckedClaim {
  const quote = plain(claim.quote);
  if (tellingWords(quote).length + namesIn(quote).length < MIN_QUOTE_WORDS) {
    return { kind: "unfounded", why: `the quote ${JSON.stringify(claim.quote)} is too short to be evidence` };
  }
  const found = said.filter(({ text }) => plain(text).includes(quote));
  const source = found.findLast(({ by }) => by === "user") ?? found[0];
  if (source === undefined) {
    return { kind: "unfounded", why: "the quote does not stand in the conversation; quote it word for word" };
  }
  const { entry, by } = source;
  const unsure = (why: string): CheckedClaim => ({ kind: "unsure", entry, by, why });
  if (by === "outside") return unsure("it rests on what a tool brought, not on what the user said");
  if (by === "model") return unsure("it rests on the model's own words, not on what the user said");

  const others = said.filter((one) => one.by !== "user");
  const problems = sentencesOf(quote).map((words) => findProblem(claim.text, words, { source, others }));
  return problems.includes(undefined) ? { kind: "supported", entry } : unsure(problems[0]!);
}

/**
 * Why a claim does not say what one quoted sentence says; undefined if it does. Words and polarity of a sentence belong
 * together: "Don't ask about formatting. Ask before you push." is no leave to push without asking.
 */
function findProblem(
  text: string,
  words: string,
  { source, others }: { readonly source: Statement; readonly others: readonly Statement[] },
): string | undefined {
  const foreign = findForeign(text, [{ ...source, text: words }, ...others]);
  if (foreign !== undefined) return foreign;
  const whole = plain(source.text);
  const sentence = sentenceAt(whole, whole.indexOf(words), words.length);
  if (isNegated(sentence) !== isNegated(text)) return "one says not to, the other does not";
  return findDistortion(text, sentence);
}

/**
 * Why a claim that is made of a sentence's words says something else: it joins words of two clauses ("delete old branches, and keep
 * the database" is no leave to delete the database), or leaves out a condition ("only after review"). Undefined if it does neither.
 */
function findDistortion(text: string, sentence: string): string | undefined {
  const clauses = clausesOf(sentence).map((clause) => ({ clause, words: tellingWords(clause) }));
  const among = (words: readonly string[]) => (word: string) => words.some((other) => isSameWord(word, other));
  const all = clauses.flatMap(({ words }) => words);
  for (const part of clausesOf(text)) {
    const own = tellingWords(part).filter(among(all));
    const sources = clauses.filter(({ words }) => own.every(among(words)));
    if (sources.length === 0) return "it joins words of different parts of what the user said";
    const leavesOut = own.length > 0 && sources.every(({ clause }) => isConditional(clause)) && !isConditional(text);
    if (leavesOut) return "the user named a condition, and it does not";
  }
  return undefined;
}

/** Returns why a text is not made of the user's words; undefined if it is. */
export function findForeign(text: string, said: readonly Statement[]): string | undefined {
  const users = said.filter((one) => one.by === "user").map(({ text }) => text);
  const everything = plain(users.join("\n"));
  const foreign = namesIn(text).find((name) => !everything.includes(plain(name)));
  if (foreign !== undefined) return `the user has not said ${JSON.stringify(foreign)}`;

  const words = [...new Set(tellingWords(text))];
  const own = users.flatMap(tellingWords);
  const others = words.filter((word) => !own.some((other) => isSameWord(word, other)));
  const outside =
    others.length === 0 ? [] : said.flatMap((one) => (one.by === "outside" ? tellingWords(one.text) : []));
  const brought = others.find((word) => outside.some((other) => isSameWord(word, other)));
  if (brought !== undefined) return `${JSON.stringify(brought)} comes from what a tool brought, not from the user`;
  const share = words.length === 0 ? 0 : 1 - others.length / words.length;
  if (share < MIN_OWN_SHARE) {
    return `${Math.round(share * 100)}% of its words are the user's; ${MIN_OWN_SHARE * 100}% are needed`;
  }
  return undefined;
}

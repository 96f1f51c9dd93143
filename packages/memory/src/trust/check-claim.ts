import { findDistortion, partAbout } from "./find-distortion.ts";
import { voicesIn } from "./own-words.ts";
import { isAmong } from "./sentence-content.ts";
import { kindOfSentence, type SentenceKind } from "./sentence-kind.ts";
import type { Statement } from "./statement.ts";
import { namesIn, ownSentences, plain, tellingWords } from "./words.ts";

/** A fact to remember, and the quotes from the session that it is based on. */
export interface Claim {
  /** The fact alone, without reasons. */
  readonly text: string;
  readonly quote: string;
  /** Quotes of other messages of the user, for what the user did repeatedly without stating a rule. @default none */
  readonly also?: readonly string[];
}

/** A quote, and the entry of the log in which it stands. */
export interface FoundQuote {
  readonly entry: number;
  readonly quote: string;
}

/**
 * `supported`: the user said it, or did it repeatedly. `unsure`: only the user can tell. `passing`: it is for the moment, or was
 * taken back: there is nothing to remember. `unfounded`: nobody said it.
 */
export type CheckedClaim =
  | { readonly kind: "supported"; readonly basis: "said" | "repeated"; readonly found: readonly FoundQuote[] }
  | {
      readonly kind: "unsure";
      readonly found: readonly FoundQuote[];
      readonly by: Statement["by"];
      readonly why: string;
    }
  | { readonly kind: "passing"; readonly why: string }
  | { readonly kind: "unfounded"; readonly why: string };

/** A shorter quote occurs in any conversation. */
const MIN_QUOTE_WORDS = 2;
/** Fewer messages show no habit. */
const MIN_REPEATED = 3;

const NOT_LASTING: Readonly<Record<Exclude<SentenceKind, "lasting">, string>> = {
  plain: "nothing in the user's sentence says that it holds beyond this task",
  question: "the user asked a question there",
  reported: "the user reports there what somebody else says",
  supposed: "the user only supposes it there",
  withdrawn: "the user takes it back there, or asks not to remember it",
  passing: "the user said it for the moment",
};

/**
 * Checks a claim against the session. A page or a file can talk a model into remembering what its author wants, with an
 * innocent quote of the user beside it. So a real quote is not enough: the fact must say what one quoted sentence of the user says,
 * and the sentence must hold beyond the moment.
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
  const first: FoundQuote = { entry, quote: claim.quote };
  const unsure = (why: string): CheckedClaim => ({ kind: "unsure", found: [first], by, why });
  if (by === "outside") return unsure("it rests on what a tool brought, not on what the user said");
  if (by === "model") return unsure("it rests on the model's own words, not on what the user said");
  if (!plain(voicesIn(source.text).own).includes(quote)) return unsure("it rests on words that the user only quoted");

  const repeated = findRepeated(claim, source, said);
  const elsewhere = repeated.map(({ quote: other }) => other);
  const judged = ownSentences(voicesIn(source.text).own)
    .filter((sentence) => isQuoted(plain(sentence), quote))
    .map((sentence) => judge(claim.text, sentence, elsewhere));
  const problem = judged.find((one) => "why" in one);
  if (judged.some(({ kind }) => kind === "said")) return { kind: "supported", basis: "said", found: [first] };
  if (problem?.kind === "passing") return { kind: "passing", why: problem.why };
  if (problem === undefined && judged.length > 0) {
    if (repeated.length + 1 < MIN_REPEATED) return unsure(NOT_LASTING.plain);
    return { kind: "supported", basis: "repeated", found: [first, ...repeated] };
  }
  return unsure(problem?.why ?? "the quote is no sentence of the user");
}

type Judged = { readonly kind: "said" | "plain" } | { readonly kind: "passing" | "distorted"; readonly why: string };

/** Holds a fact against one sentence: whether the sentence says it, and says it for good. */
function judge(fact: string, sentence: string, elsewhere: readonly string[]): Judged {
  const kind = kindOfSentence(sentence, partAbout(fact, sentence));
  if (kind === "withdrawn" || kind === "passing") return { kind: "passing", why: NOT_LASTING[kind] };
  const why = findDistortion(fact, sentence, elsewhere);
  if (why !== undefined) return { kind: "distorted", why };
  if (kind === "lasting") return { kind: "said" };
  return kind === "plain" ? { kind } : { kind: "distorted", why: NOT_LASTING[kind] };
}

/** The other quotes of a habit: each is of another message of the user, and shares words with the fact. */
function findRepeated(
  { text, also = [] }: Claim,
  source: Statement,
  said: readonly Statement[],
): readonly FoundQuote[] {
  const taken = new Set([source.entry]);
  const words = [...tellingWords(text), ...namesIn(text)];
  return also.flatMap((quote) => {
    const heard = [...tellingWords(quote), ...namesIn(quote)];
    if (words.filter((word) => isAmong(word, heard)).length < MIN_QUOTE_WORDS) return [];
    const message = said.find(
      ({ by, entry, text: whole }) =>
        by === "user" && !taken.has(entry) && plain(voicesIn(whole).own).includes(plain(quote)),
    );
    if (message === undefined) return [];
    taken.add(message.entry);
    return [{ quote, entry: message.entry }];
  });
}

function isQuoted(sentence: string, quote: string): boolean {
  return (
    sentence.includes(quote) || quote.includes(sentence) || ownSentences(quote).some((one) => sentence.includes(one))
  );
}

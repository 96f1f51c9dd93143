import type { Topic, TopicDraft, TopicType } from "../topic.ts";
import { cutAt, descriptionOf, factOfTopic } from "../topic-fact.ts";
import type { CheckedClaim } from "../trust/check-claim.ts";
import { findBadReason } from "../trust/check-reason.ts";
import type { Statement } from "../trust/statement.ts";
import { isSameWord, tellingWords } from "../trust/words.ts";

/** A memory as the model gives it: the fact, and reasons that may be the model's own. */
export interface GivenMemory {
  readonly name: string;
  readonly type: TopicType;
  readonly fact: string;
  readonly why: string;
  readonly how: string;
}

export interface DraftOptions {
  readonly session: string;
  readonly checked: Extract<CheckedClaim, { readonly found: unknown }>;
  readonly said: readonly Statement[];
  /** The topic that is changed. */
  readonly before?: Topic;
  readonly nowMs: number;
}

/** A draft, and reasons that were left out of it. */
export interface ClaimDraft {
  readonly draft: TopicDraft;
  readonly left: readonly string[];
}

const SUPERSEDED = /^Until \d{4}-\d{2}-\d{2}: /;
/** Older ones are in the history. */
const SUPERSEDED_LINES = 3;
const NAME_CHARACTERS = 60;

/** Writes the topic of a claim: the fact first, then reasons, what it rests on if that is a habit, and facts that it replaces. */
export function draftOfClaim(given: GivenMemory, options: DraftOptions): ClaimDraft {
  const { session, checked, said, before, nowMs } = options;
  const { type, fact } = given;
  const reasons = (
    [
      ["Why", given.why],
      ["How to apply", given.how],
    ] as const
  ).flatMap(([label, text]) => (text === "" ? [] : [{ label, text, bad: findBadReason(text, fact, said) }]));
  const body = [
    fact,
    "",
    ...reasons.filter(({ bad }) => bad === undefined).map(({ label, text }) => `${label}: ${text}`),
    ...(checked.kind === "supported" && checked.basis === "repeated"
      ? [`Basis: the user asked for it in ${checked.found.length} messages, and did not state it as a rule.`]
      : []),
    ...supersededLines(fact, before, nowMs),
  ];
  const evidence = checked.found.map(({ entry, quote }) => ({ session, entry, quote }));
  const draft: TopicDraft = {
    name: nameOf(given),
    description: descriptionOf(fact),
    type,
    body: body.join("\n").trim(),
    evidence: [...(before?.evidence ?? []), ...evidence],
    ...(before === undefined ? {} : { slug: before.slug }),
  };
  return { draft, left: reasons.flatMap(({ label, bad }) => (bad === undefined ? [] : [`${label}: ${bad}`])) };
}

function supersededLines(fact: string, before: Topic | undefined, nowMs: number): readonly string[] {
  if (before === undefined) return [];
  const earlier = before.body.split("\n").filter((line) => SUPERSEDED.test(line));
  const old = factOfTopic(before);
  const until = old === fact ? [] : [`Until ${new Date(nowMs).toISOString().slice(0, 10)}: ${old}`];
  return [...until, ...earlier].slice(0, SUPERSEDED_LINES);
}

/** A name is no place for another claim: it is made of the words of the fact. */
function nameOf({ name, fact }: GivenMemory): string {
  const words = tellingWords(fact);
  const isOfFact = tellingWords(name).every((word) => words.some((other) => isSameWord(word, other)));
  return name !== "" && isOfFact ? name : cutAt(fact.replace(/[.。]$/u, ""), NAME_CHARACTERS);
}

import type { Text } from "../../log/block.ts";
import { HOST, OUTSIDE, type Provenance, SUMMARY, USER } from "../../log/provenance.ts";
import type { Pin } from "../../state/carried.ts";

export interface SummaryParts {
  /**
   * `auto`: the work continues where it was. `autonomous`: the same, with nobody to answer. `manual`: the user requested it and
   * will speak next.
   */
  readonly preamble: "auto" | "manual" | "autonomous";
  /** The parsed and checked summary; undefined if no model has written one. */
  readonly summary: string | undefined;
  /** The user's messages, from the log. */
  readonly userMessages: string;
  /** Files, commands, errors and the like, from the log. */
  readonly evidence: string;
  /** Lines that show the names most in use, from the log. @default "" */
  readonly quotedLines?: string;
  readonly pins: readonly Pick<Pin, "entry" | "text" | "of" | "provenance">[];
  /** Running and finished agents. */
  readonly agents: string;
  /** Open todos. */
  readonly todos?: string;
  /** The state of a turn that was compacted while tools were running. */
  readonly latestResults?: string;
  /** How to get the originals back: with which tool, from which entries. */
  readonly recallHint: string;
}

/** A model that takes it for a message of the user would answer it. */
const PREAMBLE = [
  "This session continues an earlier part of the same conversation, which took up too much room and was folded into what",
  "follows. This text was put here by the program that runs the session; the user has not written it.",
  "Nothing is lost: the original messages can be read back.",
].join(" ");

const WITHOUT_SUMMARY =
  "No summary could be written this time. What follows was taken from the record word for word; read back what you need.";

/** Used in place of a summary. The model that will read it is unknown: a model of another provider cannot see the block. */
export const COMPACTED_BY_PROVIDER =
  "A summary by the provider stands before this text, if you can read it. What follows was taken from the record word for word.";

const CARRY_ON =
  "Carry on with the last task from where it stood, as if there had been no break. Do not recap, do not speak of this text, and ask no questions that were not open before.";

const CARRY_ON_ALONE = [
  "This is not a first start: you were in the middle of working on your own, and nobody is waiting for a greeting.",
  "Go on with the loop at once, with the step that was next. Do not introduce yourself, do not begin again, do not recap,",
  "and ask no questions: there is no one to answer them.",
].join(" ");

const ENDINGS: Readonly<Record<SummaryParts["preamble"], string | undefined>> = {
  auto: CARRY_ON,
  autonomous: CARRY_ON_ALONE,
  manual: undefined,
};

/**
 * Composes the one message that replaces the compacted conversation, as texts that each say where they come from: what a model
 * wrote about the conversation, or what tools returned, must not read like the words of the user. Blank parts have no heading.
 */
export function composeSummary(parts: SummaryParts): readonly Text[] {
  const { preamble, summary, userMessages, evidence, quotedLines, pins, agents, todos, latestResults, recallHint } =
    parts;
  const opening = isBlank(recallHint) ? PREAMBLE : `${PREAMBLE} ${recallHint}`;
  const isWritten = !isBlank(summary) && summary !== COMPACTED_BY_PROVIDER;
  const instead = isBlank(summary) ? WITHOUT_SUMMARY : summary;
  return joined([
    text(isWritten ? opening : `${opening}\n\n${instead}`, HOST),
    ...(isWritten ? [text(summary, SUMMARY)] : []),
    ...under("What the user has said, word for word:", userMessages, USER),
    ...under("Evidence from the record:", evidence, SUMMARY),
    ...under("Lines from the record, as they last stood there, word for word:", quotedLines, SUMMARY),
    ...pins.map(({ entry, text: pinned, of, provenance = of === undefined ? HOST : OUTSIDE }) =>
      text(`Pinned, to be kept in mind at all times (entry ${entry}):\n${pinned}`, provenance),
    ),
    ...under("Agents that you have started; do not start them again:", agents, SUMMARY),
    ...under("Open todos, as they stood:", todos, SUMMARY),
    ...under("The latest results of tools:", latestResults, SUMMARY),
    ...(ENDINGS[preamble] === undefined ? [] : [text(ENDINGS[preamble], HOST)]),
  ]);
}

/** Neighbors that come from one place are one text: they need one pair of marks. */
function joined(texts: readonly Text[]): readonly Text[] {
  const whole: Text[] = [];
  for (const next of texts) {
    const last = whole.at(-1);
    if (last === undefined || last.provenance !== next.provenance) whole.push(next);
    else whole[whole.length - 1] = { ...last, text: `${last.text}\n\n${next.text}` };
  }
  return whole;
}

function under(heading: string, body: string | undefined, provenance: Provenance): readonly Text[] {
  return isBlank(body) ? [] : [text(`${heading}\n${body}`, provenance)];
}

function text(words: string, provenance: Provenance): Text {
  return { kind: "text", text: words, provenance };
}

function isBlank(text: string | undefined): text is undefined | "" {
  return text === undefined || text.trim() === "";
}

export interface SummaryParts {
  /**
   * `auto`: the work goes on where it stood. `autonomous`: the same, with nobody there to answer. `manual`: the user has
   * asked for it and will speak next.
   */
  readonly preamble: "auto" | "manual" | "autonomous";
  /** As it was read and checked; undefined if no model has written one. */
  readonly summary: string | undefined;
  /** What the user said, from the log. */
  readonly userMessages: string;
  /** Files, commands, errors and the like, from the log. */
  readonly evidence: string;
  readonly pins: readonly { readonly entry: number; readonly text: string }[];
  /** Those that run, and those that have ended. */
  readonly agents: string;
  /** Those that are open. */
  readonly todos?: string;
  /** Of a turn that was folded while tools were at work. */
  readonly latestResults?: string;
  /** How the originals can be had back: by which tool, and from which entries. */
  readonly recallHint: string;
}

/** Who reads it as a message of the user's would answer it. */
const PREAMBLE = [
  "This session continues an earlier part of the same conversation, which took up too much room and was folded into what",
  "follows. This text was put here by the program that runs the session; the user has not written it.",
  "Nothing is lost: the original messages can be read back.",
].join(" ");

const WITHOUT_SUMMARY =
  "No summary could be written this time. What follows was taken from the record word for word; read back what you need.";

/** In place of a summary. Which model will read it is not known: another provider's cannot see the block. */
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

/** The one message that stands for all that was folded. What is blank has no heading; pins are there byte for byte. */
export function composeSummary(parts: SummaryParts): string {
  const { preamble, summary, userMessages, evidence, pins, agents, todos, latestResults, recallHint } = parts;
  const opening = isBlank(recallHint) ? PREAMBLE : `${PREAMBLE} ${recallHint}`;
  return [
    opening,
    isBlank(summary) ? WITHOUT_SUMMARY : summary,
    ...under("What the user has said, word for word:", userMessages),
    ...under("Evidence from the record:", evidence),
    ...pins.map(({ entry, text }) => `Pinned, to be kept in mind at all times (entry ${entry}):\n${text}`),
    ...under("Agents that you have started; do not start them again:", agents),
    ...under("Open todos, as they stood:", todos),
    ...under("The latest results of tools:", latestResults),
    ...under(undefined, ENDINGS[preamble]),
  ].join("\n\n");
}

function under(heading: string | undefined, text: string | undefined): readonly string[] {
  if (isBlank(text)) return [];
  return [heading === undefined ? text : `${heading}\n${text}`];
}

function isBlank(text: string | undefined): text is undefined | "" {
  return text === undefined || text.trim() === "";
}

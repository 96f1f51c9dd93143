/** `full`: the whole conversation. `from`: everything after a chosen message. `up_to`: everything before it. */
export type SummaryVariant = "full" | "from" | "up_to";

export interface SummarySection {
  readonly number: number;
  readonly title: string;
  /** The prompt's description of the section. */
  readonly asks: string;
}

/** `section`: absent or cut off. `path`: the summary names it, but the log does not contain it. */
export type Missing =
  | { readonly kind: "section"; readonly number: number }
  | { readonly kind: "path"; readonly path: string };

export const SECTION_COUNT = 9;
/** The least number of sections that makes a summary worth repairing. */
export const MAX_SECTIONS = 5;

const COMMON: readonly SummarySection[] = [
  {
    number: 1,
    title: "Primary request and intent",
    asks: "What the user wants to have in the end, and why, with every condition they have set.",
  },
  {
    number: 2,
    title: "Key technical concepts",
    asks: "The technologies, terms, conventions and design decisions one has to know to go on.",
  },
  {
    number: 3,
    title: "Files and code sections",
    asks: "Each file that was looked at, changed or created, by its exact path: what was done to it, why it matters, and the lines of code that count, copied exactly.",
  },
  {
    number: 4,
    title: "Errors and fixes",
    asks: "Each error with its exact message, what cured it, what did not, and what the user said about it.",
  },
  {
    number: 5,
    title: "Problem solving",
    asks: "What has been found out, which ways were given up and for what reason, what is still unclear.",
  },
  {
    number: 6,
    title: "User corrections and insistence",
    asks: "Only what the user corrected, forbade or insisted on. Their messages themselves are kept elsewhere word for word: do not copy them out.",
  },
  {
    number: 7,
    title: "Pending tasks",
    asks: "What the user has explicitly asked for and is not done yet. What is done is not named here.",
  },
];

const CURRENT: readonly SummarySection[] = [
  {
    number: 8,
    title: "Current work",
    asks: "Precisely what was going on at the very end: the step, the files, the last command and what came of it.",
  },
  {
    number: 9,
    title: "Optional next step",
    asks: 'The one step that follows from the latest requests, with direct quotes of the newest messages that show where the work stood. If the last task is finished, or the user has not asked for more: "None".',
  },
];

const COMPLETED: readonly SummarySection[] = [
  {
    number: 8,
    title: "Work completed",
    asks: "What had been brought to an end by the last of these messages, and how it was checked.",
  },
  {
    number: 9,
    title: "Context for continuing work",
    asks: "What a reader must know to understand the messages that follow: decisions in force, state of files, names in use.",
  },
];

/** Returns the nine sections of a summary. */
export function summarySections(variant: SummaryVariant): readonly SummarySection[] {
  return [...COMMON, ...(variant === "up_to" ? COMPLETED : CURRENT)];
}

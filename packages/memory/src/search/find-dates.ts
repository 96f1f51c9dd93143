/**
 * Days and months that a text names. What is relative ("last March") is for the host to make absolute: it knows what day it is.
 * `§` cannot be part of a word, so that a date is never taken for a number.
 */

export interface FoundDate {
  /** From the most exact to the least: a day, the same day of any year, a month, the same month of any year. */
  readonly terms: readonly string[];
  readonly from: number;
  readonly to: number;
}

const MONTHS: readonly (readonly string[])[] = [
  ["january", "januar", "jänner", "jan"],
  ["february", "februar", "feb"],
  ["march", "märz", "maerz", "mar"],
  ["april", "apr"],
  ["may", "mai"],
  ["june", "juni", "jun"],
  ["july", "juli", "jul"],
  ["august", "aug"],
  ["september", "sept", "sep"],
  ["october", "oktober", "oct", "okt"],
  ["november", "nov"],
  ["december", "dezember", "dec", "dez"],
];
const MONTH = MONTHS.flat()
  .toSorted((one, other) => other.length - one.length)
  .join("|");
/** `may` and the short ones are words, too: as months they have a number beside them. */
const MONTH_ALONE = MONTHS.flat()
  .filter((name) => name.length > 3)
  .join("|");
const YEAR = "(?<year>(?:19|20)\\d{2})";
const DAY = "(?<day>0?[1-9]|[12]\\d|3[01])";
const NUMBER_OF_MONTH = "(?<month>0?[1-9]|1[0-2])";
const EDGE_BEFORE = "(?<![\\p{L}\\p{N}.\\-/])";
const EDGE = "(?![\\p{L}\\p{N}]|[.\\-/]\\d)";

const FORMS: readonly RegExp[] = [
  // 2025-03-14, 2025/3/14, 2025年3月14日
  `${EDGE_BEFORE}${YEAR}[-/.]${NUMBER_OF_MONTH}[-/.]${DAY}(?![\\p{N}]|[.\\-/]\\d)`,
  `${YEAR}\\s*年\\s*${NUMBER_OF_MONTH}\\s*月\\s*${DAY}\\s*[日号]`,
  `${YEAR}\\s*年\\s*${NUMBER_OF_MONTH}\\s*月`,
  `(?<!\\d)${NUMBER_OF_MONTH}\\s*月\\s*${DAY}\\s*[日号]`,
  `(?<!\\d)${NUMBER_OF_MONTH}\\s*月(?!\\p{N})`,
  // 14.03.2025, 14.3.
  `${EDGE_BEFORE}${DAY}\\.\\s?${NUMBER_OF_MONTH}\\.\\s?${YEAR}${EDGE}`,
  `${EDGE_BEFORE}${DAY}\\.${NUMBER_OF_MONTH}\\.(?!\\d)`,
  // 14 March 2025, 14. März, the 14th of March
  `${EDGE_BEFORE}${DAY}(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+)?(?<name>${MONTH})\\b\\.?,?(?:\\s+${YEAR})?${EDGE}`,
  // March 14, 2025; March 14th; March 2025; March
  `${EDGE_BEFORE}(?<name>${MONTH})\\.?\\s+${DAY}(?:st|nd|rd|th)?\\b(?!\\d)(?:,?\\s+${YEAR})?${EDGE}`,
  `${EDGE_BEFORE}(?<name>${MONTH})\\.?,?\\s+${YEAR}${EDGE}`,
  // 2025-03
  `${EDGE_BEFORE}${YEAR}-(?<month>0[1-9]|1[0-2])${EDGE}`,
  `${EDGE_BEFORE}(?<name>${MONTH_ALONE})(?![\\p{L}\\p{N}])`,
].map((form) => new RegExp(form, "giu"));

export function findDates(text: string): readonly FoundDate[] {
  const found: FoundDate[] = [];
  for (const form of FORMS) {
    for (const match of text.matchAll(form)) {
      const [from, to] = [match.index, match.index + match[0].length];
      // The forms stand in order: what a longer one has found, a shorter one does not find again.
      if (found.some((other) => from < other.to && to > other.from)) continue;
      found.push({ from, to, terms: termsOf(match.groups ?? {}) });
    }
  }
  return found.toSorted((one, other) => one.from - other.from);
}

function termsOf({ year, month, name, day }: Readonly<Record<string, string | undefined>>): readonly string[] {
  const number = month ?? String(MONTHS.findIndex((names) => names.includes((name ?? "").toLowerCase())) + 1);
  const mm = number.padStart(2, "0");
  const dd = day?.padStart(2, "0");
  return [
    ...(year !== undefined && dd !== undefined ? [`§${year}${mm}${dd}`] : []),
    ...(dd !== undefined ? [`§${mm}${dd}`] : []),
    ...(year !== undefined ? [`§${year}${mm}`] : []),
    `§${mm}`,
  ];
}

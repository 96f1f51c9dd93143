import { isSameWord, namesIn, tellingWords } from "./words.ts";

/** Words of phrasing: a fact may have them where the user put it differently, or leave them out. */
const LIGHT = new Set(
  `use uses used using give gives given keep keeps make makes take takes get gets exist exists mean means call called should need
  needs lives live sits may might not nothing nobody please let always never ever everywhere anymore again just really also exactly perfect yes already currently remember future
  they them their heads quick mind better rather don doesn didn isn aren won can wouldn shouldn love enjoy kein keine keinen nutzen verwenden bitte wieder mehr überall immer nie`.split(
    /\s+/,
  ),
);

/** Where and when a rule of the project holds goes without saying: in its memory, with its date. */
const ABOUT_PROJECT =
  /\b(?:in|for|of|on) (?:all )?(?:of )?(?:our |this |the |these )?(?:system|project|repo|repository|codebase|api|apps?|team|company)\b|\bin your (?:answers|responses|code)\b|\bthis (?:year|month|quarter)\b/gi;
const DATE = /\b\d{4}-\d{2}(?:-\d{2})?\b/g;
const RELATIVE_DATE =
  /\b(?:today|tonight|tomorrow|next|this (?:week|month|year)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|in \w+ (?:days|weeks|months)|heute|morgen|nächste\w*)\b/i;
/** "256 MB": a number means nothing without its unit. */
const WITH_UNIT = /\b(\d[\d.,]*) ?([a-z]{1,2})\b/gi;

/**
 * Returns the words, names, dates and amounts of a text that carry a claim.
 * @param source the sentence that it is made of: where it speaks of tomorrow, dates may be made of that
 */
export function contentOf(text: string, source = ""): readonly string[] {
  const own = text.replace(ABOUT_PROJECT, " ");
  const dates = RELATIVE_DATE.test(source) ? [] : (text.match(DATE) ?? []);
  const amounts = [...text.matchAll(WITH_UNIT)].map(([, number, unit]) => `${number}${unit}`.toLowerCase());
  return [...tellingWords(own).filter((word) => !LIGHT.has(word)), ...namesIn(text), ...dates, ...amounts];
}

/** Names are the same or different; words have forms. */
export function isAmong(word: string, words: readonly string[]): boolean {
  return words.some((other) => (/[^\p{L}]/u.test(word) ? word === other : isSameWord(word, other)));
}

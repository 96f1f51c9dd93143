import { findOrder } from "./find-order.ts";
import { contentOf, isAmong } from "./sentence-content.ts";
import { clausesOf, NEGATIONS, segmentsOf } from "./words.ts";

/** Words that govern those behind them, up to the end of the part: they must govern the same words in the fact. */
const GOVERNING: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["not", NEGATIONS],
  ["before", /\b(?:before|bevor)\b/i],
  ["after", /\b(?:after|nachdem)\b/i],
  ["until", /\b(?:until|till|bis)\b/i],
  ["unless", /\b(?:unless|except|außer|ausser)\b/i],
  ["if", /(?<!\beven )\b(?:if|when|whenever|once|falls|sofern|wenn)\b/i],
  ["than", /\b(?:than|over|instead of|rather than|statt)\b/i],
  ["then", /\b(?:then|dann)\b/i],
  ["to", /\bfrom\b.*?\bto\b/i],
];

/** A fact without them says more than the user did. */
const CONDITIONS: readonly RegExp[] = ["before", "after", "until", "unless", "if"].map(
  (name) => GOVERNING.find(([known]) => known === name)![1],
);
const ONLY = /\b(?:only|nur)\b/i;
/** "I only read the code" limits the user, not the rule. */
const ONLY_OF_USER = /\bi (?:\w+ )?only\b/i;
const LIMITED = /\s+(?:but|aber)\s+/i;
const PERMISSION = /\byou (?:want|like|may|can)\b|\bfree to\b|\bkannst\b/i;

const DIRECTIONS = /\b(?:above|below|more|less|fewer|most|half|up|down|off)\b/gi;
const STRONG = /\b(?:always|every\w*|each|all|any|everywhere|nobody|immer|jede\w*|alle|überall)\b/i;
const HOLDS_FOR_ALL =
  /\b(?:always|ever|every\w*|each|all|any|everywhere|never|nobody|whenever|from now on|in (?:the )?future|immer|jede\w*|alle|nie|niemals|ab jetzt|ab sofort)\b|überall|künftig|\b(?:before|after|when|if) (?:you|an?|any)\b/i;
const DUTY = /\b(?:must|mandatory|required|have to|has to|muss)\b/i;
const HAS_DUTY = /\b(?:must|mandatory|required|have to|has to|needs?|only|always|never|may not|muss|immer|nie)\b/i;
const ALLOWANCE = /\b(?:may|can|kannst|darfst)\b(?! not)/i;
const TASTE = /\b(?:likes?|loves?|prefers?|preferred|rather|bevorzugt|mag)\b/i;
const HAS_TASTE = /\b(?:like|love|prefer\w*|rather|better|want|bevorzuge|mag)\b/i;
const OF_USER = /\b(?:to|for) me\b|\bmy\b/i;
const NAMES_USER = /\b(?:users?(?:'s)?|they|them|their|me|my|i|benutzer|nutzer)\b/i;
const POINTING = /\b(?:there(?! (?:is|are))|it|them|they|those|these)\b/i;

/** A fact may say that the user asked for it. */
const FRAMING = new Set(["asked", "asks"]);

/** The share of the words of a part that a fact must have: less widens what the user said. */
const MIN_KEPT = 0.8;

/**
 * Returns why a fact does not say what a sentence says; undefined if it does. A fact may leave out whole parts and rephrase; it may
 * not add words, lose a negation, a condition or a limit, turn words around, join parts, widen, or be stronger.
 * @param elsewhere other sentences whose words the fact may have: those of a habit that was shown repeatedly
 */
export function findDistortion(fact: string, sentence: string, elsewhere: readonly string[] = []): string | undefined {
  const said = contentOf(sentence);
  const heard = [...said, ...elsewhere.flatMap((other) => contentOf(other))];
  const words = contentOf(fact, sentence);
  const foreign = words.find((word) => !isAmong(word, heard) && !FRAMING.has(word));
  if (foreign !== undefined && !isFormOnly(words, heard))
    return `the user has not said ${JSON.stringify(foreign)} there`;
  const own = words.filter((word) => isAmong(word, said));
  if (own.length === 0) return "it has none of the words that it quotes";
  const touched = touchedParts(sentence, own);
  const part = touched.map((one) => one.text).join(", ");
  return (
    findTurned(fact, sentence, own) ??
    findLostCondition(fact, sentence, touched) ??
    findDirection(fact, sentence, part) ??
    (STRONG.test(fact) && !HOLDS_FOR_ALL.test(sentence) ? "it says always or all, and the user did not" : undefined) ??
    (DUTY.test(fact) && !isDuty(sentence) ? "it speaks of a duty, and the user did not" : undefined) ??
    (TASTE.test(fact) && !HAS_TASTE.test(sentence) ? "it speaks of a taste, and the user did not" : undefined) ??
    (OF_USER.test(part) && !NAMES_USER.test(fact) ? "it holds for the user, and does not say so" : undefined) ??
    findJoined(fact, sentence) ??
    findOrder(fact, sentence)
  );
}

/** Returns the part of a sentence that a fact is about, and what leads up to it. */
export function partAbout(fact: string, sentence: string): string {
  const words = contentOf(fact);
  const parts = segmentsOf(sentence);
  const last = parts.findLastIndex((part) => contentOf(part).some((word) => isAmong(word, words)));
  return parts.slice(0, last + 1).join(", ");
}

interface Part {
  readonly text: string;
  /** The parts of the same clause before and behind it. */
  readonly before: string | undefined;
  readonly behind: string | undefined;
  readonly words: readonly string[];
}

/** The parts of a sentence that have a word of the fact which no other part has. */
function touchedParts(sentence: string, own: readonly string[]): readonly Part[] {
  const parts = clausesOf(sentence).flatMap((clause): readonly Part[] => {
    const texts = segmentsOf(clause);
    return texts.map((text, at) => ({ text, before: texts[at - 1], behind: texts[at + 1], words: contentOf(text) }));
  });
  const isElsewhere = (word: string, here: Part): boolean =>
    parts.some((other) => other !== here && isAmong(word, other.words));
  const touched = parts.filter((part) => own.some((word) => isAmong(word, part.words) && !isElsewhere(word, part)));
  return touched.length > 0 ? touched : parts.filter(({ words }) => own.some((word) => isAmong(word, words)));
}

function findTurned(fact: string, sentence: string, own: readonly string[]): string | undefined {
  if (NEGATIONS.test(fact) && !NEGATIONS.test(sentence)) return "it says not to, and the user did not";
  for (const [name, pattern] of GOVERNING) {
    const [inFact, inSentence] = [governedBy(pattern, fact), governedBy(pattern, sentence)];
    // Lost conditions are looked for where they stand.
    const isLost = inFact.governed.length === 0 && CONDITIONS.includes(pattern);
    if (inSentence.governed.length === 0 || isLost) continue;
    const isTurned = own.some((word) => {
      const [there, here] = [isAmong(word, inSentence.governed), isAmong(word, inFact.governed)];
      return there !== here && !isAmong(word, here ? inSentence.governed : inSentence.free);
    });
    if (isTurned && name === "not") return "one says not to, the other does not";
    if (isTurned) return `it turns around what the user said with "${name}"`;
  }
  return undefined;
}

function findLostCondition(fact: string, sentence: string, touched: readonly Part[]): string | undefined {
  const lost = CONDITIONS.find(
    (pattern) =>
      !pattern.test(fact) &&
      // "If a test fails, ask." and "Only give hints, unless I ask.": a condition of the part beside it.
      touched.some(
        ({ text, before, behind }) => pattern.test(text) || isLedBy(pattern, before) || isLedBy(pattern, behind),
      ),
  );
  if (lost !== undefined) return "the user named a condition, and it does not";
  if (touched.some(({ text }) => ONLY.test(text)) && !ONLY.test(fact) && !ONLY_OF_USER.test(sentence)) {
    return 'the user said "only", and it does not';
  }
  const [limited, ...limits] = sentence.split(LIMITED);
  const isIn = (text: string): boolean => touched.some((part) => text.includes(part.text));
  if (limits.length > 0 && PERMISSION.test(limited!) && isIn(limited!) && !limits.some(isIn))
    return 'the user went on with "but", and it does not';
  const points = touched.length === 1 && POINTING.test(touched[0]!.text) && touched[0]!.before !== undefined;
  return points ? "it leaves out what the user's words point to" : undefined;
}

function isDuty(sentence: string): boolean {
  return (HAS_DUTY.test(sentence) || HOLDS_FOR_ALL.test(sentence)) && !ALLOWANCE.test(sentence);
}

function findDirection(fact: string, sentence: string, part: string): string | undefined {
  const directionsIn = (text: string): readonly string[] => text.toLowerCase().match(DIRECTIONS) ?? [];
  const added = directionsIn(fact).find((word) => !directionsIn(sentence).includes(word));
  if (added !== undefined) return `the user has not said "${added}" there`;
  const lost = directionsIn(part).find((word) => !directionsIn(fact).includes(word));
  return lost === undefined ? undefined : `the user said "${lost}", and it does not`;
}

/** Each part of the fact keeps nearly all words of the parts that it uses, and joins none of which it keeps less. */
function findJoined(fact: string, sentence: string): string | undefined {
  const parts = clausesOf(sentence)
    .flatMap(segmentsOf)
    .map((part) => contentOf(part))
    .filter((words) => words.length > 0);
  const kept = contentOf(fact);
  for (const piece of clausesOf(fact).flatMap(segmentsOf)) {
    const own = contentOf(piece).filter((word) => parts.some((words) => isAmong(word, words)));
    if (own.length === 0) continue;
    const whole = parts.filter((words) => own.every((word) => isAmong(word, words)));
    // Parts of the fact may share a part of the sentence; a part that joins two has to keep both by itself.
    if (whole.length > 0 && whole.some((words) => keptShare(words, kept) >= minKept(words))) continue;
    if (whole.length > 0) return "it leaves out words of what the user said there";
    const only = parts.filter((words) =>
      own.some((word) => isAmong(word, words) && !parts.some((other) => other !== words && isAmong(word, other))),
    );
    // "Runbooks are in the wiki, named after the alert": a part may have the subject of the first one.
    const isSubject = (words: readonly string[]): boolean => {
      const taken = own.filter((word) => isAmong(word, words));
      return (
        words === only[0] &&
        taken.length <= 2 &&
        taken.every((word, at) => word === own[at] && isAmong(word, [words[at]!]))
      );
    };
    if (only.some((words) => keptShare(words, own) < minKept(words) && !isSubject(words))) {
      return "it joins words of different parts of what the user said";
    }
  }
  return undefined;
}

function minKept(words: readonly string[]): number {
  return words.some((word) => CJK_PAIR.test(word)) ? MIN_KEPT_PAIRS : MIN_KEPT;
}

/** The words that a word governs, from it to the end of its part, and all others. */
function governedBy(pattern: RegExp, text: string): { governed: readonly string[]; free: readonly string[] } {
  const [governed, free]: [string[], string[]] = [[], []];
  for (const part of clausesOf(text).flatMap(segmentsOf)) {
    const found = pattern.exec(part);
    const end = found === null ? part.length : found.index + found[0].length;
    free.push(...contentOf(part.slice(0, found === null ? end : found.index)));
    if (found?.[0].includes(" ")) free.push(...contentOf(found[0]));
    governed.push(...contentOf(part.slice(end)));
  }
  return { governed, free };
}

function keptShare(words: readonly string[], kept: readonly string[]): number {
  return words.length === 0 ? 1 : words.filter((word) => isAmong(word, kept)).length / words.length;
}

function isLedBy(pattern: RegExp, text: string | undefined): boolean {
  return text !== undefined && pattern.exec(text)?.index === 0;
}

const CJK_PAIR = /^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,2}$/;
/** In scripts without spaces words are pairs of signs, and the end of a word changes with its form. */
const MAX_FOREIGN_PAIRS = 0.2;

const MIN_KEPT_PAIRS = 0.5;

function isFormOnly(words: readonly string[], heard: readonly string[]): boolean {
  const foreign = words.filter((word) => !isAmong(word, heard));
  return foreign.every((word) => CJK_PAIR.test(word)) && foreign.length <= MAX_FOREIGN_PAIRS * words.length;
}

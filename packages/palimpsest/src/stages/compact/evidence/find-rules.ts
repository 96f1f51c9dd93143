import { lazyPattern } from "../../../log/lazy-pattern.ts";
import { headOf } from "../../../text.ts";

/** Words with which people correct, forbid, decide and insist. */
const MARKS =
  /\b(?:no[,.!]|not|don'?t|do not|never|always|must(?:n'?t)?|instead|rather than|only|without|wrong|stop|avoid|revert|undo|should(?:n'?t)?|prefer|make sure|ensure|keep|leave|forget|actually|decided?|let'?s|we (?:use|will|want|need)|at (?:most|least)|required?|forbidden|nicht|kein\w*|niemals?|immer|statt|muss)\b/i;
/** Words with which one of several options is chosen. */
const CHOICE =
  /\b(?:decid(?:e|ed|ing)|decision|instead of|rather than|settled? on|opt(?:ed|ing)? for|ruled? out|go(?:ing)? with|went with|chose|gave up on)\b/i;
const MAX_DECISIONS = 4;
/** The beginning of a reply that takes something back. */
const CORRECTION =
  /^\s*(?:no\b|nope|wait|stop|actually|that'?s (?:not|wrong)|wrong|don'?t|do not|not |instead|hmm|nein)/i;
const MAX_RULE_CHARACTERS = 280;
/** A long message (a paste, a plan) contains hardly any sentence of the user's own. */
const LOOKED_AT_CHARACTERS = 6_000;
const MAX_RULES = 12;
const betweenSentences = lazyPattern(String.raw`\n+|(?<=[.!?])\s+(?=\p{Lu})`, "u");

/** Returns the sentences of a user's message that correct, forbid, decide or insist, verbatim. */
export function findRules(text: string): string[] {
  return sentencesWith(text, MARKS).slice(0, MAX_RULES);
}

/** Returns the sentences of a model's message that choose one of several options, verbatim. */
export function findDecisions(text: string): string[] {
  return sentencesWith(text, CHOICE).slice(0, MAX_DECISIONS);
}

function sentencesWith(text: string, mark: RegExp): string[] {
  return text
    .slice(0, LOOKED_AT_CHARACTERS)
    .split(betweenSentences())
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 5 && mark.test(sentence))
    .map((sentence) => headOf(sentence, MAX_RULE_CHARACTERS).toWellFormed());
}

/** Whether a message corrects an earlier action or statement. */
export function isCorrection(text: string): boolean {
  return (
    CORRECTION.test(text.slice(0, 200)) ||
    (text.length < 600 && /\b(?:don'?t|never|instead|wrong|revert|undo)\b/i.test(text))
  );
}

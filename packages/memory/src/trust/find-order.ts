import { contentOf, isAmong } from "./sentence-content.ts";
import { clausesOf, segmentsOf } from "./words.ts";

/** A fact may begin with what the user said last: "For releases, ..." */
const LEADING = /^(?:for|in|on|at|when|whenever|if|before|after|with|under|bei|im|in|für|vor|nach)\b/i;
/** What a condition governs is checked apart, and may stand first or last. */
const CONDITION = /\b(?:before|after|until|unless|if|when|whenever|bevor|nachdem|wenn|falls)\b/i;
/** A German infinitive stands last: "Antworte auf Deutsch" is "auf Deutsch antworten". */
const GERMAN = /\b(?:auf|der|die|das|den|und|nicht|mit|ein|eine|immer|nie|kein\w*)\b/i;
/** "A list is how I want plans" is "I want plans as a list". */
const CLEFT = /([^,;]+?) is (?:how|what) (?:i|we) (?:want|like) ([^,;]+)/i;
const PIECE = /[^\s,;]+/g;

/**
 * Returns that the words of a fact are in another order than the user's; undefined if they are in the same. "The module belongs to
 * the team" and "the team belongs to the module" have the same words.
 */
export function findOrder(fact: string, sentence: string): string | undefined {
  const pieces = clausesOf(fact)
    .flatMap(segmentsOf)
    .flatMap((part) => part.split(CONDITION));
  const isKept = clausesOf(sentence.replace(CLEFT, "$2 $1"))
    .flatMap(segmentsOf)
    .map(inOrder)
    .every((said) => pieces.every((piece) => isOrderKept(piece, said)));
  return isKept ? undefined : "it puts the user's words in another order";
}

function isOrderKept(piece: string, said: readonly string[]): boolean {
  const own = inOrder(piece).filter((word) => isAmong(word, said));
  if (isInOrder(own, said)) return true;
  // The verb of an order moves: "prefix names" and "names are prefixed", "titles start with" and "start titles with".
  const withoutFirst = own.filter((word) => !isAmong(word, said.slice(0, 1)));
  if (isInOrder(own.slice(1), said) || isInOrder(withoutFirst, said)) return true;
  if (GERMAN.test(piece) && isInOrder(own.slice(0, -1), said)) return true;
  return LEADING.test(piece.trim()) && own.some((_, at) => isInOrder([...own.slice(at), ...own.slice(0, at)], said));
}

function inOrder(text: string): readonly string[] {
  return (text.match(PIECE) ?? []).flatMap((piece) => contentOf(piece));
}

/** Whether the words occur one after the other among all. */
function isInOrder(words: readonly string[], all: readonly string[]): boolean {
  let from = 0;
  return words.every((word) => {
    const at = all.findIndex((other, index) => index >= from && isAmong(word, [other]));
    from = at + 1;
    return at >= 0;
  });
}

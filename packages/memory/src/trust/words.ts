/** Words that carry no claim, in English and German, and the usual phrases around memories. */
const EMPTY_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can could
  did do does doing down during each few for from further had has have having he her here hers him his how i if in into is it its
  itself just me more most must my now of off on once only or other our ours out over own same she should so some such than that
  the their theirs them then there these they this those through to too under until up very was we were what when where which
  while who whom why will with would you your yours
  aber alle als also am an andere auch auf aus bei bin bis da damit dann das dass dein dem den der des die dies diese doch dort
  du dich mich euch ihnen kannst sollst bitte durch ein haben habe hast eine einem einen einer eines er es euer fur für hat ich ihm ihn ihr im in ist ja jede jetzt kann man mein mir mit
  muss nach noch nur ob oder sein sich sie sind so soll sondern uber über um und uns unser unter vom von vor wann war was weil
  wenn wer werden wie wir wird wo zu zum zur
  user users prefer prefers preferred want wants wanted like likes said says told team project
  fact note reason holds benutzer nutzer will möchte bevorzugt sagt sagte projekt`.split(/\s+/),
);

/** Words that turn what follows into its opposite. */
export const NEGATIONS: RegExp =
  /(?<![\p{L}])(?:not|never|no|none|nothing|nobody|nowhere|neither|nor|without|cannot|dont|avoid|stop|nicht|nie|niemals|nichts|niemand|kein\p{L}*|ohne)(?![\p{L}])|n['’]t(?![\p{L}])|[不别勿没無无]/iu;

const ISO_DATE = /^\d{4}-\d{2}(?:-\d{2})?$/;
const CJK = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;

/** Returns one form for equal texts: ignores case, width, whitespace and markdown. */
export function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’‘`´]/g, "'")
    .replace(/[“”„«»"*_>#]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Returns the words that carry a claim, without numbers. In scripts without spaces, every two characters count as a
 * word.
 */
export function tellingWords(text: string): readonly string[] {
  const words = plain(withoutNames(text)).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => {
    if (CJK.test(word)) return pairsOf(word);
    return word.length < 3 || EMPTY_WORDS.has(word) || /^\d+$/.test(word) ? [] : [word];
  });
}

/**
 * Returns names of files, hosts, commands and versions: anything with a form that plain words do not have. Dates are
 * excluded: they are made absolute.
 */
export function namesIn(text: string): readonly string[] {
  const pieces = text.normalize("NFKC").match(PIECES) ?? [];
  return pieces
    .map(trimmed)
    .filter((piece) => !ISO_DATE.test(piece) && isName(piece))
    .map((piece) => piece.toLowerCase());
}

const PIECES = /[\p{L}\p{N}_./:@#$~\\-]+/gu;

function trimmed(piece: string): string {
  return piece.replace(/^[.:\-/]+(?=[\p{L}\p{N}])|[.:\-/]+$/gu, "");
}

function isName(piece: string): boolean {
  return /[\p{L}\p{N}][_./:@#$~\\]+[\p{L}\p{N}]|\d|\p{Ll}\p{Lu}/u.test(piece);
}

/** Parts of a name are no words: `add_index` says nothing about adding. */
function withoutNames(text: string): string {
  return text.normalize("NFKC").replace(PIECES, (piece) => (isName(trimmed(piece)) ? " " : piece));
}

/** Returns the sentences of a text. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?。！？;])\s*(?=\s|(?<=[。！？])\S)|\n/u).flatMap((one) => one.trim() || []);
}

/** A comma alone ends no clause: "use pnpm here, never npm" is one. */
const JOINTS =
  /;\s+|,\s+(?:and|but|or|so|then|while|because|since|otherwise|und|aber|oder|dann|während|weil)\s+|\s+(?:but|because|since|aber|weil)\s+|\s+and\s+(?=(?:i|we|you|this|that|it|they|he|she)\s)/iu;

/** Returns the clauses of a text: its sentences, and what stands between their conjunctions. */
export function clausesOf(text: string): readonly string[] {
  return sentencesOf(text).flatMap((sentence) => sentence.split(JOINTS).flatMap((one) => one.trim() || []));
}

/** Returns the parts of a clause between its commas. */
export function segmentsOf(clause: string): readonly string[] {
  return clause.split(/[,:]\s+|\s\(|\)|[，、：]|\s+so\s+/u).flatMap((one) => one.trim() || []);
}

/** Returns the sentences of a message whose lines may be wrapped: a line that begins in lower case continues the one before. */
export function ownSentences(text: string): readonly string[] {
  return sentencesOf(text.replace(/(?<![.!?:;,])[ \t]*\n[ \t]*(?=\p{Ll})/gu, " ")).map((one) =>
    one.replace(/\s+/g, " "),
  );
}

/** Whether two words are forms of one word: `commit`, `commits` and `committed`, not `command`. */
export function isSameWord(one: string, other: string): boolean {
  if (one === other || stemOf(one) === stemOf(other)) return true;
  const shorter = Math.min(one.length, other.length);
  const shared = Math.max(4, shorter - 1);
  return shorter >= 4 && one.slice(0, shared) === other.slice(0, shared);
}

/** `use`, `uses`, `used` and `using` have one stem. Words this short share too few letters to be compared by them. */
function stemOf(word: string): string {
  const stem = word.replace(/ies$/, "y").replace(/(?<=..)(?:ing|ed|es|s|e)$/, "");
  return stem.replace(/([b-df-hj-np-tv-z])\1$/, "$1");
}

function pairsOf(word: string): readonly string[] {
  const signs = [...word];
  return signs.length === 1 ? signs : signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

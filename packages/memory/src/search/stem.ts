/**
 * What forms of a word have in common, for English and German at once: which of the two a word is of cannot be seen from it.
 * Small on purpose. What it takes for the same is weighed (rank-topics.ts), so an error costs little; what stays apart here
 * because the languages are irregular (`ran`, `ging`) is lost to the search.
 */

/** A stem has at least so many letters: what is shorter says too little (`user` is no form of `use`). */
const LEAST_LETTERS = 4;
/** `deployment`, `Bestellung`, `handler`, as stems have them: without the last `e`, with `i` for `y`. The longest first. */
const DERIVATIONS: readonly string[] = [
  "abiliti",
  "ization",
  "isation",
  "ierung",
  "schaft",
  "ation",
  "ition",
  "ment",
  "ness",
  "heit",
  "keit",
  "lich",
  "isch",
  "abl",
  "ibl",
  "anc",
  "enc",
  "ung",
  "ion",
  "iti",
  "ier",
  "bar",
  "at",
  "iv",
  "iz",
  "is",
  "ur",
  "al",
  "er",
  "or",
  "li",
];
const VOWEL = /[aeiouy]/;

/** Without what is put on a word by number, case, person and tense. */
export function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  return withoutGerman(withoutEnglish(word));
}

/** Without what makes a noun of a verb and the like: what `migrate` and `migration` share. */
export function rootOf(stem: string): string {
  if (!/^[a-z]+$/.test(stem)) return stem;
  let root = stem;
  for (let ending = endingOf(root); ending !== undefined; ending = endingOf(root)) {
    root = iForY(root.slice(0, -ending.length));
  }
  return root;
}

function endingOf(word: string): string | undefined {
  return DERIVATIONS.find((ending) => word.endsWith(ending) && word.length - ending.length >= LEAST_LETTERS);
}

function withoutEnglish(word: string): string {
  const singular = withoutPlural(word);
  for (const ending of ["ing", "ed"]) {
    const rest = singular.slice(0, -ending.length);
    // `running`, `string`, `speed`: three letters may be left here, if one is a vowel.
    if (singular.endsWith(ending) && rest.length >= 3 && VOWEL.test(rest) && !rest.endsWith("e"))
      return undoubled(rest);
  }
  return singular;
}

function withoutPlural(word: string): string {
  if (word.length <= 3 || !word.endsWith("s") || /(ss|us|is)$/.test(word)) return word;
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /(sses|xes|ches|shes|zzes)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

function undoubled(word: string): string {
  return /([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}

function withoutGerman(word: string): string {
  // `speichern`, `sammeln`: verbs.
  if (/e[rl]n$/.test(word) && word.length > LEAST_LETTERS) return word.slice(0, -1);
  for (const ending of ["en", "em", "es", "e"]) {
    if (word.endsWith(ending) && word.length - ending.length >= LEAST_LETTERS)
      return iForY(word.slice(0, -ending.length));
  }
  return iForY(word.endsWith("e") && word.length > 3 ? word.slice(0, -1) : word);
}

/** `retries` and `retry`, `tried` and `try`. */
function iForY(word: string): string {
  return word.endsWith("y") && word.length > 2 ? `${word.slice(0, -1)}i` : word;
}

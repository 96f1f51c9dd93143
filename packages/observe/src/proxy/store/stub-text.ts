const BEGINNING_CHARACTERS = 2_000;
const END_CHARACTERS = 1_000;

/**
 * What stands in a request instead of a stored result. The same result gives the same text for ever: a prompt cache and signed
 * thinking depend on it.
 */
export function stubText(text: string, file: string): string {
  const beginning = text.slice(0, BEGINNING_CHARACTERS).toWellFormed();
  const end = text.slice(-END_CHARACTERS).toWellFormed();
  const left = text.length - BEGINNING_CHARACTERS - END_CHARACTERS;
  return `${beginning}\n\n[${left} of ${text.length} characters left out by palimpsest proxy. All of them are in ${file}: read or search that file if you need more.]\n\n${end}`;
}

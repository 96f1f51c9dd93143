/**
 * How well a name fits what was typed; lower is better, undefined is not at all. A name that starts with it is best, then a word in the
 * name, then a part of it, then its letters in this order.
 */
export function fuzzyRank(typed: string, name: string): number | undefined {
  const wanted = typed.toLowerCase();
  const text = name.toLowerCase();
  if (text === wanted) return 0;
  if (text.startsWith(wanted)) return 1;
  const at = text.indexOf(wanted);
  if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1]!) ? 3 : 2;
  return hasLetters(wanted, text) ? 4 : undefined;
}

function hasLetters(wanted: string, text: string): boolean {
  let at = -1;
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** Finds the word closest to a mistyped one; undefined if none is close. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const lower = typed.toLowerCase();
  const begun = words.filter((word) => lower.length > 2 && word.toLowerCase().startsWith(lower));
  if (begun.length === 1) return begun[0];
  const ranked = words
    .map((word) => ({ word, distance: distance(lower, word.toLowerCase()) }))
    .toSorted((one, other) => one.distance - other.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.floor(typed.length / 3)) ? best.word : undefined;
}

/** The edit distance: insertions, deletions, changes, and swaps of two letters count as one each. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, row) => [row]);
  for (let column = 1; column <= other.length; column++) rows[0]![column] = column;
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1;
      const costs = [rows[row - 1]![column]! + 1, rows[row]![column - 1]! + 1, rows[row - 1]![column - 1]! + changed];
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]![column] = Math.min(...costs, ...(swapped ? [rows[row - 2]![column - 2]! + 1] : []));
    }
  }
  return rows[one.length]![other.length]!;
}

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

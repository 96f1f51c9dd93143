/** Finds the word closest to a mistyped word. Undefined if no word is close. */
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

/** The edit distance. An insertion, a deletion, a change and a swap of two characters cost one each. */
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
 * Ranks how well a name matches the input. Lower is better; undefined means no match. The order is: name starts with
 * the input, a word in the name starts with it, the name contains it, the name contains its characters in this order.
 */
export function fuzzyRank(typed: string, name: string): number | undefined {
  const characters = typed.toLowerCase();
  const text = name.toLowerCase();
  if (text === characters) return 0;
  if (text.startsWith(characters)) return 1;
  const at = text.indexOf(characters);
  if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1]!) ? 3 : 2;
  return hasLetters(characters, text) ? 4 : undefined;
}

function hasLetters(characters: string, text: string): boolean {
  let at = -1;
  for (const letter of characters) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

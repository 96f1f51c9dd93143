/** Whether one is the other with a slip: a letter wrong, missing, too many or exchanged with its neighbour; two in long words. */
export function isSlip(one: string, other: string): boolean {
  const allowed = Math.min(one.length, other.length) >= 9 ? 2 : 1;
  return Math.abs(one.length - other.length) <= allowed && distance(one, other) <= allowed;
}

/** How many slips lie between two words. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const wrong = one[i - 1] === other[j - 1] ? 0 : 1;
      const least = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + wrong);
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next.push(isExchanged ? Math.min(least, before[j - 2]! + 1) : least);
    }
    before = row;
    row = next;
  }
  return row[other.length]!;
}

/** Returns the name that a mistyped one most likely means; undefined if none is near. */
export function nearestName(typed: string, names: readonly string[], mostEdits = 3): string | undefined {
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const edits = editsBetween(typed.toLowerCase(), name.toLowerCase());
    if (edits <= mostEdits && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { name, edits };
  }
  return nearest?.name;
}

/** The edit distance: letters to insert, delete or change. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const here = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1;
      here[column] = Math.min(above[column]! + 1, here[column - 1]! + 1, above[column - 1]! + changed);
    }
    above = here;
  }
  return above[other.length]!;
}

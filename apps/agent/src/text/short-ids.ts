const LEAST_CHARACTERS = 8;

/** Shortens ids to their first characters, as many as are needed to keep them unique. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = ids.toSorted();
  const shared = sorted.map((id, index) =>
    Math.max(sharedStart(id, sorted[index - 1] ?? ""), sharedStart(id, sorted[index + 1] ?? "")),
  );
  const lengths = new Map(sorted.map((id, index) => [id, Math.max(LEAST_CHARACTERS, shared[index]! + 1)]));
  return (id) => id.slice(0, lengths.get(id) ?? LEAST_CHARACTERS);
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

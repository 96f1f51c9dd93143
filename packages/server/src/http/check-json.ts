/** Deeper than any request of the API; deep enough for metadata. */
const MAX_DEPTH = 64;

/** What no store can keep, wherever it stands in a request; undefined if there is nothing of the kind. Pure. */
export function unkeepable(value: unknown, depth = 1): string | undefined {
  if (typeof value === "string") return value.includes("\0") ? "has the character U+0000. Remove it" : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep. Send less structure, or text`;
  for (const [name, field] of Object.entries(value)) {
    const found = unkeepable(name) ?? unkeepable(field, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether every string in a JSON value is well-formed Unicode, keys included. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member));
}

/**
 * Where a JSON text holds half of a surrogate pair, written as an escape, counted in characters from 0.
 * `JSON.stringify` writes such a half as `\udXXX`; JavaScript parses it back without complaint, the providers do not.
 */
export function findLoneSurrogate(json: string): { readonly index: number; readonly half: "high" | "low" } | undefined {
  const escapes = /\\(?:u([0-9a-fA-F]{4})|.)/g;
  let high: { index: number; end: number } | undefined;
  for (const match of json.matchAll(escapes)) {
    const unit = match[1] === undefined ? -1 : Number.parseInt(match[1], 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (high !== undefined && !(isLow && high.end === match.index)) return { index: high.index, half: "high" };
    if (high === undefined && isLow) return { index: match.index, half: "low" };
    high = unit >= 0xd800 && unit <= 0xdbff ? { index: match.index, end: match.index + match[0].length } : undefined;
  }
  return high === undefined ? undefined : { index: high.index, half: "high" };
}

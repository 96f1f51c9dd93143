export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// No real request nests this deep; a body that does would exhaust the stack of any recursive reader, ours included.
const MAX_DEPTH = 256;

/**
 * Whether a value could have come out of a strict JSON parser: half of a surrogate pair cannot, though JavaScript's own
 * parser and serialiser let it through as an escape.
 */
export function isStrictJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((each) => isStrictJson(each, depth + 1));
  return Object.entries(value).every(([key, each]) => key.isWellFormed() && isStrictJson(each, depth + 1));
}

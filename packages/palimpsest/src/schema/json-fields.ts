// Reads fields of parsed JSON: each function returns the value if it has the type, and undefined otherwise.

/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value, if it is an object and not a list. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The value, if it is a list. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value, if it is a string. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The strings of a list; other elements are dropped. */
export function asStrings(value: unknown): readonly string[] {
  return (asList(value) ?? []).filter((item) => typeof item === "string");
}

/** The value, if it is a finite number and not negative. */
export function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Whether the value is the same after a round trip through JSON. Deeper values than 100 levels count as cyclic. */
export function isJson(value: unknown, depth = 100): boolean {
  if (depth === 0) return false;
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (Array.isArray(value)) return value.every((element) => isJson(element, depth - 1));
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every((field) => isJson(field, depth - 1));
}

/** Removes fields that are undefined: for values whose own keys matter, such as requests of a provider. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const kept: { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } = {};
  for (const name of Object.keys(fields) as (keyof Fields)[]) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value as Exclude<Fields[typeof name], undefined>;
  }
  return kept;
}

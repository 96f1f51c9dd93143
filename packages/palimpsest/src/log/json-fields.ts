/** Narrowing of parsed JSON: each function returns the value if it is of the kind asked for, and undefined otherwise. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The strings of a list, without what else is in it. */
export function asStrings(value: unknown): readonly string[] {
  return (asList(value) ?? []).filter((item) => typeof item === "string");
}

/** A number of tokens or the like: finite and not negative. */
export function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The given fields without those that are undefined: absent and undefined are two things to exactOptionalPropertyTypes. */
export function present<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const kept: { [Name in keyof Fields]?: NonNullable<Fields[Name]> } = {};
  for (const name of Object.keys(fields) as (keyof Fields)[]) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value as NonNullable<typeof value>;
  }
  return kept;
}

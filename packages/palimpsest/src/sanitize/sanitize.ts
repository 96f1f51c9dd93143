/** `palimpsest/sanitize`: makes text of others safe to show, to people and to models. */

import { spellHidden } from "./hidden-characters.ts";
import { createEscapeFilter } from "./stream.ts";

/**
 * The gate for every text that somebody else wrote, before the screen, the log and the model. Commands for terminals are removed.
 * Hidden characters are spelled out or counted where they stand, so that people and models see that there is something.
 * What has passed it once passes it again unchanged.
 */
export function sanitize(text: string): string {
  const filter = createEscapeFilter();
  return spellHidden((filter.push(text) + filter.end()).toWellFormed());
}

/** The same for every text in a value, such as a schema. */
export function sanitizeAll<Value>(value: Value): Value {
  return sanitized(value) as Value;
}

function sanitized(value: unknown): unknown {
  if (typeof value === "string") return sanitize(value);
  if (Array.isArray(value)) return value.map(sanitized);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [sanitize(key), sanitized(inner)]));
}

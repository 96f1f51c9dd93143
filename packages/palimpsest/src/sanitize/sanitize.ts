// `palimpsest/sanitize` makes text from outside safe to show to people and to models.

import { spellHidden } from "./hidden-characters.ts";
import { createEscapeFilter } from "./stream.ts";

/**
 * Sanitizes text from outside before it reaches the screen, the log or the model. Removes terminal commands. Spells out or counts
 * hidden characters, so that people and models see them. A second call changes nothing.
 */
export function sanitize(text: string): string {
  const filter = createEscapeFilter();
  return spellHidden((filter.push(text) + filter.end()).toWellFormed());
}

/** Sanitizes every text in a value, such as a schema, including the keys of objects. */
export function sanitizeAll<Value>(value: Value): Value {
  return sanitized(value) as Value;
}

function sanitized(value: unknown): unknown {
  if (typeof value === "string") return sanitize(value);
  if (Array.isArray(value)) return value.map(sanitized);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [sanitize(key), sanitized(inner)]));
}

import { asCount } from "palimpsest/core";

/** Milliseconds since 1970, from such a number or from an ISO 8601 text. */
export function asTimeMs(value: unknown): number | undefined {
  return asCount(typeof value === "string" ? Date.parse(value) : value);
}

import { asCount } from "palimpsest/schema";

/** Returns milliseconds since 1970 from a number or an ISO 8601 text. */
export function asTimeMs(value: unknown): number | undefined {
  return asCount(typeof value === "string" ? Date.parse(value) : value);
}

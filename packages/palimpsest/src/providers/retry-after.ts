/** Response headers: `Headers` from the clients, plain objects from tests and proxies. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * Returns how long the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. A date is
 * compared with the server's own clock, from its `date` header.
 */
export function readRetryAfterMs(headers: HeaderSource | undefined): number | undefined {
  const exactMs = toMs(headers?.get("retry-after-ms"), 1);
  if (exactMs !== undefined) return exactMs;
  const value = headers?.get("retry-after");
  const seconds = toMs(value, 1_000);
  if (seconds !== undefined) return seconds;
  const waitMs = Date.parse(value ?? "") - Date.parse(headers?.get("date") ?? "");
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

function toMs(text: string | null | undefined, unitMs: number): number | undefined {
  const value = text?.trim() ? Number(text) * unitMs : Number.NaN;
  return Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}

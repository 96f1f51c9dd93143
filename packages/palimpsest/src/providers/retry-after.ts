/** What a response's headers answer to; the clients hand them out as `Headers`, tests and proxies as plain objects. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * How long the server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. A date is held against the
 * server's own clock, as its `date` header tells it.
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

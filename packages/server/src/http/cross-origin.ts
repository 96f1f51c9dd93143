/**
 * The headers for a page of another origin; none if the origin is not allowed. Tokens are sent by programs in a header, never by browsers on
 * their own, so that credentials are not allowed.
 */
export function crossOriginHeaders(
  origin: string | undefined,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  if (origin === undefined || !allowed.includes(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "location, retry-after, x-request-id",
    vary: "origin",
  };
}

/** The reply to a browser that asks before it sends a request. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, last-event-id, traceparent",
  "access-control-max-age": "600",
};

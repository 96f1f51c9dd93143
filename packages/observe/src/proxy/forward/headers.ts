/** Headers that belong to one connection (RFC 9110, 7.6.1). Each of the two connections has its own. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "upgrade",
  // Answered here.
  "expect",
]);

/** Names and values in turn, as they stood on the wire: the order, the case of letters and repeated names stay. */
export type RawHeaders = readonly string[];

/** Headers for the service: as the client sent them, for another host. */
export function toUpstream(raw: RawHeaders, host: string, contentLength?: number): string[] {
  const kept = ofMessage(raw);
  const replaced = kept.map(([name, value]): [string, string] => {
    if (name.toLowerCase() === "host") return [name, host];
    return contentLength !== undefined && name.toLowerCase() === "content-length"
      ? [name, String(contentLength)]
      : [name, value];
  });
  return replaced.flat();
}

/** Headers for the client: as the service sent them. */
export function toClient(raw: RawHeaders): string[] {
  // Node divides the body into chunks of its own where there is no length.
  return ofMessage(raw)
    .filter(([name]) => name.toLowerCase() !== "transfer-encoding")
    .flat();
}

function ofMessage(raw: RawHeaders): readonly (readonly [string, string])[] {
  const named = pairs(raw)
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((word) => word.trim().toLowerCase()));
  return pairs(raw).filter(([name]) => !OF_CONNECTION.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}

function pairs(raw: RawHeaders): readonly (readonly [string, string])[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!] as const);
}

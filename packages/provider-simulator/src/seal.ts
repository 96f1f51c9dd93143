import { createHash } from "node:crypto";

/**
 * Creates opaque strings that only the service can make: it signs data for a later check, and keeps no state. The text
 * may be padded, because the length of a real signature shows how long the thinking was.
 */
export function seal(secret: string, payload: Readonly<Record<string, string>>, minimumCharacters = 0): string {
  const body = JSON.stringify(payload);
  const bare = encode(secret, body, "");
  // Base64 uses four characters for three bytes.
  const fill = "0".repeat(Math.max(0, Math.floor(((minimumCharacters - bare.length) * 3) / 4)));
  return fill === "" ? bare : encode(secret, body, fill);
}

/** Returns the sealed data; undefined if this service did not seal exactly this text. */
export function unseal(secret: string, sealed: string): Readonly<Record<string, string>> | undefined {
  try {
    const { body, fill } = JSON.parse(Buffer.from(sealed, "base64").toString("utf8"));
    if (typeof body !== "string" || typeof fill !== "string") return undefined;
    return encode(secret, body, fill) === sealed ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
}

function encode(secret: string, body: string, fill: string): string {
  const mac = createHash("sha256").update([secret, body, fill].join("\0")).digest("base64url").slice(0, 22);
  return Buffer.from(JSON.stringify({ body, mac, fill })).toString("base64");
}

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Lets a browser in once for each address that was given out, and knows it by a cookie from then on. */
export interface EntryTokens {
  /** A token for the fragment of an address: browsers send fragments to nobody. */
  issue(): string;
  /** @returns the value of a cookie; undefined if the token was never issued, or used before */
  exchange(token: string): string | undefined;
  isKnown(cookie: string): boolean;
}

/** 120 bits, used once. With the key of a session the address has 79 characters: a terminal of 80 columns does not break it. */
const ENTRY_BYTES = 15;
const COOKIE_BYTES = 32;

export function createEntryTokens(): EntryTokens {
  const issued = new Set<string>();
  const cookies = new Set<string>();
  return {
    issue() {
      const token = newToken(ENTRY_BYTES);
      issued.add(digestOf(token));
      return token;
    },
    exchange(token) {
      const found = find(issued, token);
      if (found === undefined) return undefined;
      issued.delete(found);
      const cookie = newToken(COOKIE_BYTES);
      cookies.add(digestOf(cookie));
      return cookie;
    },
    isKnown: (cookie) => find(cookies, cookie) !== undefined,
  };
}

function newToken(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Digests are compared, each in the same time. */
function find(digests: ReadonlySet<string>, token: string): string | undefined {
  const sought = Buffer.from(digestOf(token));
  return [...digests].find((digest) => timingSafeEqual(Buffer.from(digest), sought));
}

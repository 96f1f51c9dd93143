import { createHash } from "node:crypto";

/** Tokens that were found valid lately, by the digest of their header. Being here is no right: each request looks the token up. */
export interface ProvenTokens {
  has(authorization: string | undefined): boolean;
  add(authorization: string | undefined): void;
  remove(authorization: string | undefined): void;
}

/** The oldest are forgotten. */
const MOST = 10_000;

export function createProvenTokens(): ProvenTokens {
  const digests = new Set<string>();
  const digestOf = (authorization = ""): string => createHash("sha256").update(authorization).digest("base64");
  return {
    has: (authorization) => digests.has(digestOf(authorization)),
    add(authorization) {
      digests.add(digestOf(authorization));
      const [oldest] = digests;
      if (digests.size > MOST && oldest !== undefined) digests.delete(oldest);
    },
    remove: (authorization) => void digests.delete(digestOf(authorization)),
  };
}

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** What a token may do. */
export const SCOPES = ["sessions:read", "sessions:write", "sessions:approve", "sessions:delete"] as const;
/** What a token allows. */
export type Scope = (typeof SCOPES)[number];

/** A token as it is kept: without its secret. */
export interface StoredToken {
  /** The public part of the token, by which it is found. */
  readonly id: string;
  readonly tenant: string;
  /** Who uses it, for people to read: answers to questions carry it. */
  readonly name: string;
  /** Those that are unknown here are of no use. */
  readonly scopes: readonly string[];
  /** SHA-256 of the secret, as hexadecimal digits. */
  readonly digest: string;
  readonly createdAtMs: number;
  /** @default it is valid until it is revoked */
  readonly expiresAtMs?: number;
  /** @default the limit of the server */
  readonly requestsPerMinute?: number;
}

/** Where tokens are kept. */
export interface Tokens {
  find(tenant: string, id: string): Promise<StoredToken | undefined>;
  /** Oldest first. */
  list(tenant: string): Promise<readonly StoredToken[]>;
  add(token: StoredToken): Promise<void>;
  /** From then on the token is refused; streams that it opened end within seconds. */
  revoke(tenant: string, id: string): Promise<"revoked" | "absent">;
}

/** A token to create. */
export interface TokenDraft extends Omit<StoredToken, "id" | "digest" | "createdAtMs" | "scopes"> {
  readonly scopes: readonly Scope[];
}

/** A new token. The text is shown once; only its digest is kept. */
export interface CreatedToken {
  readonly text: string;
  readonly stored: StoredToken;
}

/**
 * `pal_`, the tenant, an id of 12 hexadecimal digits, 256 random bits. The tenant is in it so that a database finds the token without
 * looking at those of others; `pal_` lets scanners for leaked secrets find it.
 */
const TOKEN = /^pal_([A-Za-z0-9_-]{1,800})_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

/** Creates a token. The caller keeps it: `tokens.add(created.stored)`. */
export function createToken(draft: TokenDraft, clock: { now(): number } = { now: Date.now }): CreatedToken {
  const id = randomBytes(6).toString("hex");
  const secret = randomBytes(32).toString("base64url");
  return {
    text: `pal_${Buffer.from(draft.tenant).toString("base64url")}_${id}_${secret}`,
    stored: { ...draft, id, digest: digestOf(secret), createdAtMs: clock.now() },
  };
}

export type CheckedToken =
  | { readonly kind: "valid"; readonly token: StoredToken }
  /** Why, for the person whose request was refused. It does not say whether the token exists. */
  | { readonly kind: "invalid"; readonly why: string };

const UNKNOWN =
  "The token is unknown, or was revoked. Ask the operator for a new one: palimpsest database tokens create.";

/** Checks the header `Authorization`. The secret is compared in constant time, also for a token that does not exist. */
export async function checkToken(
  authorization: string | undefined,
  tokens: Pick<Tokens, "find">,
  nowMs: number,
): Promise<CheckedToken> {
  const [scheme = "", ...words] = (authorization ?? "").split(" ");
  const text = words.join(" ").trim();
  if (scheme.toLowerCase() !== "bearer" || text === "")
    return { kind: "invalid", why: "Send the header Authorization: Bearer TOKEN." };
  const [, tenant, id, secret] = TOKEN.exec(text) ?? [];
  if (tenant === undefined || id === undefined || secret === undefined)
    return { kind: "invalid", why: "The token does not have the form pal_TENANT_ID_SECRET. Copy all of it." };
  const token = await tokens.find(Buffer.from(tenant, "base64url").toString(), id);
  // 256 random bits cannot be guessed from their digest, so that a slow hash would gain nothing.
  const isSame = timingSafeEqual(Buffer.from(digestOf(secret), "hex"), Buffer.from(token?.digest ?? NO_DIGEST, "hex"));
  if (token === undefined || !isSame) return { kind: "invalid", why: UNKNOWN };
  if (isExpired(token, nowMs)) {
    const when = new Date(token.expiresAtMs!).toISOString();
    return {
      kind: "invalid",
      why: `The token expired at ${when}. Create a new one: palimpsest database tokens create.`,
    };
  }
  return { kind: "valid", token };
}

/** A token among those of all tenants. */
export function nameOf({ tenant, id }: StoredToken): string {
  return JSON.stringify([tenant, id]);
}

export function isExpired({ expiresAtMs }: StoredToken, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

const NO_DIGEST = "0".repeat(64);

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

import { InvalidOptionError } from "palimpsest";

/** What one limit counts for: a key of the provider, by a name of your choice, and a model. */
export interface RateBucket {
  /** A name for the key, never the key itself. */
  readonly key: string;
  readonly model: string;
}

/** What the provider allows. An absent limit is none. */
export interface RateLimit {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** How much of it may be used at once after a quiet time, as time of the limit; at least one request. @default 10,000 */
  readonly burstMs?: number;
}

/** A number of requests and of tokens. */
export interface RateAmount {
  readonly requests: number;
  readonly tokens: number;
}

/** What one process asks for one tenant. */
export interface RateClaim {
  readonly tenant: string;
  /** Unused of earlier grants; negative: more was used than granted. */
  readonly returned: RateAmount;
  /** What its next request lacks. All of it is granted, or nothing. */
  readonly needed: RateAmount;
  /** For requests after that one. As much of it is granted as nobody else waits for. */
  readonly wanted: RateAmount;
}

/** The part of a limit that a tenant got, and how long until there is more. */
export interface RateGrant {
  readonly tenant: string;
  readonly granted: RateAmount;
  /** When the next request is likely to have its turn; 0 if it was granted. */
  readonly waitMs: number;
}

/**
 * The shared state of all limits. Every implementation passes `testRateSource`, and shares by the same rule: the tenant that was
 * served least goes first (`planExchange` has the details).
 */
export interface RateSource {
  /** Gives back and takes, for any number of tenants in one step, one claim each. Returns a grant for every claim that needs something. */
  exchange(bucket: RateBucket, limit: RateLimit, claims: readonly RateClaim[]): Promise<readonly RateGrant[]>;
  /** Nobody sends for this long, because the provider said so. */
  pause(bucket: RateBucket, forMs: number): Promise<void>;
}

export const NOTHING: RateAmount = { requests: 0, tokens: 0 };

/** A waiting process asks again at least this often. */
export const ASK_AGAIN_MS = 1_000;
/** A process that has not asked again for so long is gone: nobody waits behind it. */
export const FORGET_DEMAND_MS = 3_000;
/** A tenant that has not asked for so long is forgotten. */
export const FORGET_TENANT_MS = 600_000;

/** A limit as rates, infinite where there is none, and how much can add up. */
export interface Rates {
  readonly perMs: RateAmount;
  readonly capacity: RateAmount;
}

/** A limit per minute as a rate per millisecond, with the most that can be taken at once. */
export function toRates(limit: RateLimit): Rates {
  const { burstMs = 10_000 } = limit;
  const perMs = { requests: perMsOf(limit, "requestsPerMinute"), tokens: perMsOf(limit, "tokensPerMinute") };
  // Nothing times infinity is not a number.
  const most = (rate: number): number => (rate === Number.POSITIVE_INFINITY ? rate : rate * burstMs);
  return { perMs, capacity: { requests: Math.max(1, most(perMs.requests)), tokens: most(perMs.tokens) } };
}

function perMsOf(limit: RateLimit, name: "requestsPerMinute" | "tokensPerMinute"): number {
  const perMinute = limit[name] ?? Number.POSITIVE_INFINITY;
  if (perMinute > 0) return perMinute / 60_000;
  throw new InvalidOptionError(name, perMinute, "a number above 0, or nothing for no limit");
}

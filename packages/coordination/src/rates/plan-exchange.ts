import {
  FORGET_DEMAND_MS,
  FORGET_TENANT_MS,
  NOTHING,
  type RateAmount,
  type RateClaim,
  type RateGrant,
  type Rates,
} from "./rate-source.ts";

/** One bucket: how much is left, and what each tenant has had. */
export interface BucketState {
  level: RateAmount;
  /** When the level was right. In the future while the bucket is paused. */
  atMs: number;
  /** Where the service stands: the start of the newest grant, in time of the limit. */
  virtualMs: number;
  readonly tenants: Map<string, TenantState>;
}

interface TenantState {
  /** Where the service of this tenant ends: everything it was granted, in time of the limit. */
  virtualMs: number;
  /** Absent: it does not wait. */
  demand?: Demand;
  askedAtMs: number;
}

interface Demand {
  readonly needed: RateAmount;
  /** Where its service begins. */
  readonly startMs: number;
  readonly sinceMs: number;
}

export function createBucketState({ capacity }: Rates, nowMs: number): BucketState {
  return { level: capacity, atMs: nowMs, virtualMs: 0, tenants: new Map() };
}

/**
 * Shares a bucket by start-time fair queueing, in one step; it changes the state. Every grant moves its tenant on by the time that
 * the grant takes of the limit. Who waits is served in the order of these times: a tenant that floods is soon ahead of the others
 * and waits behind them, and one that was quiet begins where the service stands, so it can neither save up nor starve. Without
 * contention nobody waits for a share that is not used. Weights would divide the time of a grant; nobody has needed them yet.
 */
export function planExchange(
  state: BucketState,
  rates: Rates,
  claims: readonly RateClaim[],
  nowMs: number,
): readonly RateGrant[] {
  const { capacity } = rates;
  refill(state, rates, nowMs);
  for (const { tenant, returned, needed } of claims) {
    const known = state.tenants.get(tenant) ?? { virtualMs: state.virtualMs, askedAtMs: nowMs };
    state.level = least(plus(state.level, returned), capacity);
    known.virtualMs -= timeOf(returned, rates);
    const before = isLive(known, nowMs) ? known.demand : undefined;
    const startMs = before?.startMs ?? Math.max(known.virtualMs, state.virtualMs);
    if (isNothing(needed)) delete known.demand;
    else known.demand = { needed, startMs, sinceMs: before?.sinceMs ?? nowMs };
    known.askedAtMs = nowMs;
    state.tenants.set(tenant, known);
  }
  const grants: RateGrant[] = [];
  for (const { tenant, needed, wanted } of inOrder(state, claims)) {
    const own = state.tenants.get(tenant)!;
    const demand = own.demand!;
    const others = [...state.tenants.values()].filter((one) => one !== own && isLive(one, nowMs));
    const ahead = sumOf(
      others.filter((one) => compare(one.demand!, demand) < 0).map((one) => least(one.demand!.needed, capacity)),
    );
    // A request that is larger than the bucket waits for a full one, and leaves a debt.
    const lacking = minus(plus(ahead, least(needed, capacity)), state.level);
    const waitMs = state.atMs - nowMs + timeOf(greatest(lacking, NOTHING), rates);
    if (waitMs > SOON_MS) {
      grants.push({ tenant, granted: NOTHING, waitMs });
      continue;
    }
    state.level = minus(state.level, needed);
    const free = minus(state.level, sumOf(others.map((one) => least(one.demand!.needed, capacity))));
    const extra = portionOf(wanted, free);
    state.level = minus(state.level, extra);
    const granted = plus(needed, extra);
    state.virtualMs = Math.max(state.virtualMs, demand.startMs);
    own.virtualMs = demand.startMs + timeOf(granted, rates);
    delete own.demand;
    grants.push({ tenant, granted, waitMs: 0 });
  }
  return grants;
}

/** Fractions of a millisecond are rounding. */
const SOON_MS = 1e-6;

function refill(state: BucketState, { perMs, capacity }: Rates, nowMs: number): void {
  const passedMs = nowMs - state.atMs;
  // Nothing times an infinite rate is not a number.
  const gained = passedMs > 0 ? { requests: passedMs * perMs.requests, tokens: passedMs * perMs.tokens } : NOTHING;
  state.level = least(plus(state.level, gained), capacity);
  state.atMs = Math.max(state.atMs, nowMs);
  for (const [tenant, { askedAtMs }] of state.tenants)
    if (nowMs - askedAtMs >= FORGET_TENANT_MS) state.tenants.delete(tenant);
}

/** Those that wait, the least served first. */
function inOrder(state: BucketState, claims: readonly RateClaim[]): readonly RateClaim[] {
  const demandOf = ({ tenant }: RateClaim) => state.tenants.get(tenant)?.demand;
  return claims.filter((claim) => demandOf(claim) !== undefined).sort((a, b) => compare(demandOf(a)!, demandOf(b)!));
}

/** By what they were served, then by how long they wait. */
function compare(a: Demand, b: Demand): number {
  return a.startMs - b.startMs || a.sinceMs - b.sinceMs;
}

function isLive({ demand, askedAtMs }: TenantState, nowMs: number): boolean {
  return demand !== undefined && nowMs - askedAtMs < FORGET_DEMAND_MS;
}

/** Half of what is free, so that the next process finds some, too; no tokens without a request. */
function portionOf(wanted: RateAmount, free: RateAmount): RateAmount {
  const requests = Math.floor(Math.min(wanted.requests, Math.max(0, free.requests) / 2));
  return requests === 0 ? NOTHING : { requests, tokens: Math.min(wanted.tokens, Math.max(0, free.tokens) / 2) };
}

/** How long the limit needs for an amount: by requests or by tokens, whichever is more. */
function timeOf({ requests, tokens }: RateAmount, { perMs }: Rates): number {
  const [byRequests, byTokens] = [requests / perMs.requests, tokens / perMs.tokens];
  return Math.abs(byRequests) > Math.abs(byTokens) ? byRequests : byTokens;
}

function isNothing({ requests, tokens }: RateAmount): boolean {
  return requests <= 0 && tokens <= 0;
}

function plus(a: RateAmount, b: RateAmount): RateAmount {
  return { requests: a.requests + b.requests, tokens: a.tokens + b.tokens };
}

function minus(a: RateAmount, b: RateAmount): RateAmount {
  return { requests: a.requests - b.requests, tokens: a.tokens - b.tokens };
}

function least(a: RateAmount, b: RateAmount): RateAmount {
  return { requests: Math.min(a.requests, b.requests), tokens: Math.min(a.tokens, b.tokens) };
}

function greatest(a: RateAmount, b: RateAmount): RateAmount {
  return { requests: Math.max(a.requests, b.requests), tokens: Math.max(a.tokens, b.tokens) };
}

function sumOf(amounts: readonly RateAmount[]): RateAmount {
  return amounts.reduce(plus, NOTHING);
}

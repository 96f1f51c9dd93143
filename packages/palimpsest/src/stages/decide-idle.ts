import type { TokenCosts } from "./microcompact/plan-clearing.ts";

/** What a session waits for between two requests. */
export type Awaiting = "tool" | "user";

export interface IdleSituation {
  readonly awaiting: Awaiting;
  /** Since the newest request, a ping included. */
  readonly idleMs: number;
  readonly ttlMs: number;
  /** Requests without output that were sent since the newest with one. */
  readonly pings: number;
  readonly sizeTokens: number;
  readonly costs: TokenCosts;
}

export interface KeepWarmParameters {
  readonly enabled: "on" | "off";
  readonly pingsWhileToolRuns: number;
  readonly pingsWhileWaiting: number;
}

export type IdleDecision =
  | { readonly kind: "nothing"; readonly because: string }
  /** Look again then: before that, a ping would be early. */
  | { readonly kind: "wait"; readonly forMs: number }
  | { readonly kind: "ping"; readonly costUnits: number };

/** A ping goes out this long before the prompt would be dropped: the edges are sharp, counted from request to request. */
const MARGIN_MS = 30_000;

/** Whether to keep the prompt warm while nothing happens. Capped by count, and by what letting it go cold would cost. */
export function decideIdle(situation: IdleSituation, parameters: KeepWarmParameters): IdleDecision {
  const { awaiting, idleMs, ttlMs, pings, sizeTokens, costs } = situation;
  if (parameters.enabled === "off") return { kind: "nothing", because: "keeping warm is switched off" };
  if (idleMs >= ttlMs) return { kind: "nothing", because: "the prompt is cold already" };
  const allowed = awaiting === "tool" ? parameters.pingsWhileToolRuns : parameters.pingsWhileWaiting;
  const worthwhile = Math.floor((costs.write - costs.read) / costs.read);
  if (pings >= Math.min(allowed, worthwhile)) {
    return { kind: "nothing", because: `${pings} pings were sent: more would cost more than a cold start` };
  }
  const untilDueMs = ttlMs - MARGIN_MS - idleMs;
  return untilDueMs > 0 ? { kind: "wait", forMs: untilDueMs } : { kind: "ping", costUnits: sizeTokens * costs.read };
}

import { grouped } from "../text.ts";

/**
 * A possible change of the prompt. Cost and gain are in one unit (the price of an input token, or dollars by `usdPerUnit`),
 * compared with doing nothing: the cost now, and the saving on the requests of the horizon.
 */
export interface Candidate {
  readonly kind: "clear" | "compact" | "keep-warm";
  /** `required`: at any cost, because the window or a fixed rule asks for it. `no`: not now, whatever the saving. */
  readonly admissible: "if-it-pays" | "required" | "no";
  /** Why it is allowed or not, in words and figures. */
  readonly because: string;
  readonly cost: number;
  readonly gain: number;
  readonly horizonRequests: number;
  /** @default the unit has no price */
  readonly usdPerUnit?: number;
}

type Decision<Some extends Candidate> =
  | { readonly kind: "nothing"; readonly reason: string }
  | { readonly kind: "take"; readonly candidate: Some; readonly reason: string };

/**
 * Chooses the best admissible candidate, or none. Required ones come first; others only if they gain more than they cost. It
 * returns at most one: after acting on it, ask again with the changed prompt.
 */
export function decide<Some extends Candidate>(candidates: readonly Some[]): Decision<Some> {
  const required = candidates.filter(({ admissible }) => admissible === "required");
  const paying = candidates.filter((one) => one.admissible === "if-it-pays" && one.gain > one.cost);
  const best = cheapest(required) ?? cheapest(paying);
  if (best === undefined) return { kind: "nothing", reason: candidates.map(whyNot).join("; ") || "nothing to decide" };
  return { kind: "take", candidate: best, reason: `${best.kind}: ${best.because}: ${figuresOf(best)}` };
}

function cheapest<Some extends Candidate>(candidates: readonly Some[]): Some | undefined {
  // Of two equal candidates the first wins: callers list the milder ones first.
  return candidates.reduce<Some | undefined>(
    (best, one) => (best === undefined || one.cost - one.gain < best.cost - best.gain ? one : best),
    undefined,
  );
}

function whyNot(candidate: Candidate): string {
  const { kind, admissible, because } = candidate;
  return admissible === "no" ? `no ${kind}: ${because}` : `no ${kind}: it does not pay: ${figuresOf(candidate)}`;
}

function figuresOf({ cost, gain, horizonRequests, usdPerUnit }: Candidate): string {
  const amount = (units: number): string =>
    usdPerUnit === undefined ? `${grouped(Math.round(units))} units` : `$${(units * usdPerUnit).toFixed(4)}`;
  const horizon = horizonRequests === 1 ? "on the next request" : `within ${horizonRequests} requests`;
  return `costs ${amount(cost)}, saves ${amount(gain)} ${horizon}`;
}

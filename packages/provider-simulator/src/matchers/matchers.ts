import { inputTokensOf } from "../usage.ts";
import { readTraffic, type Traffic } from "./read-traffic.ts";

/** The result of a matcher, as vitest and Jest expect it. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The matchers, as plain functions. */
export const matchers = {
  /** Whether no request was refused. */
  toBeAccepted(received: unknown): MatcherResult {
    const traffic = trafficOf("toBeAccepted", received);
    const { accepted, refusals } = traffic;
    const total = accepted + refusals.length;
    if (total === 0) throw noRequests();
    return {
      pass: refusals.length === 0,
      message: () =>
        refusals.length === 0
          ? `Expected a refusal, but ${ofAll(accepted, total)} accepted.`
          : `${ofAll(refusals.length, total)} refused:\n${listed(refusals)}`,
    };
  },

  /** Whether more than this share of the input was read from the prompt cache: 0.9 is 90%. */
  toHaveCacheHitAbove(received: unknown, share: number): MatcherResult {
    checkNumber("toHaveCacheHitAbove", share, 1, "a share between 0 and 1");
    const { usage, accepted, refusals } = trafficOf("toHaveCacheHitAbove", received);
    if (accepted === 0) throw noRequests(refusals);
    const inputTokens = inputTokensOf(usage);
    const hit = inputTokens === 0 ? 0 : usage.cacheReadTokens / inputTokens;
    return {
      pass: hit > share,
      message: () =>
        `${usage.cacheReadTokens} of ${inputTokens} input tokens (${toPercent(hit)}) were read from the cache in ` +
        `${requests(accepted)}; expected ${hit > share ? "at most" : "more than"} ${toPercent(share)}.`,
    };
  },

  /** Whether all requests together cost less than this many US dollars. */
  toCostBelow(received: unknown, dollars: number): MatcherResult {
    checkNumber("toCostBelow", dollars, Number.POSITIVE_INFINITY, "an amount of US dollars");
    const { usage, accepted, refusals, priceUsd } = trafficOf("toCostBelow", received);
    if (accepted === 0) throw noRequests(refusals);
    const [inputTokens, outputTokens] = [inputTokensOf(usage), usage.outputTokens];
    return {
      pass: priceUsd < dollars,
      message: () =>
        `${requests(accepted)} with ${inputTokens} input tokens (${usage.cacheReadTokens} from the cache) and ${outputTokens} ` +
        `output tokens cost $${priceUsd.toFixed(6)}; expected ${priceUsd < dollars ? "at least" : "less than"} $${dollars}.`,
    };
  },
} as const;

function trafficOf(matcher: string, received: unknown): Traffic {
  const traffic = readTraffic(received);
  if (traffic !== undefined) return traffic;
  throw new TypeError(
    `${matcher} needs what the simulator returns: a server, its recorder or exchanges, a verdict or an answer, or a list of ` +
      `them. It got ${typeof received === "object" ? JSON.stringify(received)?.slice(0, 80) : String(received)}.`,
  );
}

function checkNumber(matcher: string, value: number, maximum: number, what: string): void {
  if (typeof value !== "number" || !(value >= 0) || value > maximum) throw new TypeError(`${matcher} needs ${what}.`);
}

/** Thrown, so that `not` does not pass either. */
function noRequests(refusals: readonly string[] = []): Error {
  const none = "No request was accepted";
  return new Error(refusals.length === 0 ? `${none}: none was sent.` : `${none}:\n${listed(refusals)}`);
}

function ofAll(count: number, total: number): string {
  return `${count} of ${requests(total)} ${count === 1 ? "was" : "were"}`;
}

function requests(count: number): string {
  return `${count} ${count === 1 ? "request" : "requests"}`;
}

/** A thousand equal refusals say no more than the first ten. */
function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, 10).map((line) => `  ${line}`);
  return [...shown, ...(lines.length > 10 ? [`  and ${lines.length - 10} more`] : [])].join("\n");
}

function toPercent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

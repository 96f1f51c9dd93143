import { createHash } from "node:crypto";
import type { Refusal } from "../verdict.ts";

/** A broken rule, in the provider's words. */
export interface Problem {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** `error.details.error_code`: stable where the wording is not. */
  readonly code?: string;
  /** `error.details.unsupported`: what a thread cannot be combined with. */
  readonly unsupported?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The proxy before the service answers in its own way. @default "service" */
  readonly origin?: "service" | "edge";
}

export function invalid(message: string, code?: string): Problem {
  return { status: 400, type: "invalid_request_error", message, code };
}

/** On every response of the service, also for accounts that are far from their limits. */
export const RATE_LIMIT_HEADERS: Readonly<Record<string, string>> = Object.fromEntries(
  ["requests", "tokens", "input-tokens", "output-tokens"].flatMap((what) => [
    [`anthropic-ratelimit-${what}-limit`, "4000000"],
    [`anthropic-ratelimit-${what}-remaining`, "3999999"],
    [`anthropic-ratelimit-${what}-reset`, "2026-11-15T00:00:00Z"],
  ]),
);

export function refusal(problem: Problem, requestId: string): Refusal {
  const { status, type, message, code, unsupported } = problem;
  // The edge proxy turns large bodies away before the service sees them: no outer type, no request id.
  if (problem.origin === "edge") {
    return { kind: "refused", status, headers: {}, body: { error: { type, message } }, message };
  }
  const details = code === undefined ? {} : { details: { error_code: code, ...(unsupported ? { unsupported } : {}) } };
  return {
    kind: "refused",
    status,
    headers: { "request-id": requestId, ...RATE_LIMIT_HEADERS, ...problem.headers },
    body: { type: "error", error: { type, message, ...details }, request_id: requestId },
    message,
  };
}

/** Ids look like the provider's and depend on nothing but the ordinal, so that runs can be compared byte for byte. */
export function mintId(prefix: "req" | "msg" | "toolu", ordinal: number): string {
  return `${prefix}_01${createHash("sha1").update(`${prefix}:${ordinal}`).digest("base64url").replace(/[-_]/g, "0").slice(0, 22)}`;
}

import type { Fault } from "../faults.ts";
import type { HttpCall, HttpReply } from "../http-face.ts";
import type { Exchange } from "../recorder.ts";
import type { Usage } from "../usage.ts";
import type { Acceptance, Answered, Refusal } from "../verdict.ts";
import { type Problem, toRefusal, unparsableBody } from "./problem.ts";

/** What comes with a call beside its body. */
export interface OpenAiCall {
  /** Whose key it is: caches never cross accounts. @default "default" */
  readonly account?: string;
}

export function readBody(call: HttpCall): { kind: "read"; request: unknown } | { kind: "problem"; problem: Problem } {
  try {
    return { kind: "read", request: JSON.parse(call.body) as unknown };
  } catch {
    return { kind: "problem", problem: unparsableBody() };
  }
}

export function accountOf(call: HttpCall): OpenAiCall {
  const key = call.headers["authorization"];
  return key === undefined ? {} : { account: key };
}

export function refusedReply({ status, headers, body, message }: Refusal, requestId: string): HttpReply {
  return {
    kind: "json",
    status,
    headers: { "x-request-id": requestId, ...headers },
    body,
    outcome: { kind: "refused", status, message },
  };
}

export function freeReply(body: unknown, requestId: string): HttpReply {
  return { kind: "json", status: 200, headers: { "x-request-id": requestId }, body, outcome: { kind: "free" } };
}

export interface Billed {
  readonly acceptance: Acceptance;
  readonly usage: Usage;
  readonly priceUsd: number;
}

export function answeredOutcome(responseId: string, { acceptance, usage, priceUsd }: Billed): Exchange["outcome"] {
  return { kind: "answered", usage, cache: acceptance.cache, priceUsd, responseId };
}

/** The whole of an answer at once, or what refused it. */
export function wholeReply(answered: Answered<{ readonly id: string }> | Refusal, requestId: string): HttpReply {
  if (answered.kind === "refused") return answered.status === 0 ? resetReply() : refusedReply(answered, requestId);
  const { response } = answered;
  const outcome = answeredOutcome(response.id, answered);
  return { kind: "json", status: 200, headers: { "x-request-id": requestId }, body: response, outcome };
}

/** Broken before any byte of the answer: nothing arrives, and nobody can tell whether the model had begun. */
export function resetReply(): HttpReply {
  return { kind: "reset", outcome: { kind: "refused", status: 0, message: "The connection was reset." } };
}

/**
 * The refusal a fault amounts to when it strikes before the model speaks, or when there is no stream that it could
 * break. Undefined for a fault that lets the answer begin. A reset connection has no status: 0 stands for that.
 */
export function faultRefusal(fault: Fault | undefined, delivery: "stream" | "whole"): Refusal | undefined {
  switch (fault?.kind) {
    case "status":
      return toRefusal({ ...fault, param: null, code: fault.code ?? null });
    case "stream-error":
      return delivery === "whole" ? toRefusal({ ...fault, status: 500, param: null, code: null }) : undefined;
    case "connection-reset":
      return { kind: "refused", status: 0, headers: {}, body: undefined, message: "The connection was reset." };
    default:
      return undefined;
  }
}

/** Where there is no failed state: what a response reports as such is an error of the server then. */
export function failureRefusal(fault: Fault | undefined): Refusal | undefined {
  if (fault?.kind !== "response-failed") return undefined;
  return toRefusal({ status: 500, type: "server_error", message: fault.message, param: null, code: fault.code });
}

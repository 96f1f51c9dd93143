import type { Fault } from "../faults.ts";
import type { HttpCall, HttpReply, Outcome } from "../http-face.ts";
import { type Delivery, outcomeOfCall } from "../outcome-of-call.ts";
import type { Usage } from "../usage.ts";
import type { Acceptance, Answered, Refusal } from "../verdict.ts";
import { failureText } from "./failure-text.ts";
import { invalidRequest, type Problem, toRefusal } from "./problem.ts";

/** Properties of a call beside its body. */
export interface OpenAiCall {
  /** Whose key it is: caches never cross accounts. @default "default" */
  readonly account?: string;
}

/**
 * Any key will do, but there must be one. The text as in bilingual_book_maker#137, its first sentence and the newer
 * address at its end from memory; type and code as claude4u.com/en/guide/openai-401-invalid-key-fix has them.
 */
export function checkKey({ headers }: HttpCall): Problem | undefined {
  const key = headers["authorization"]?.replace(/^Bearer\b/i, "").trim() ?? "";
  if (key !== "") return undefined;
  const message =
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
    "(i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the " +
    "API from your browser and are prompted for a username and password. You can obtain an API key from " +
    "https://platform.openai.com/account/api-keys.";
  return invalidRequest(message, { status: 401 });
}

/** A call that was refused, or whose connection was reset: status 0 stands for that. */
export function refusedReply({ status, headers, body, message }: Refusal, requestId: string): HttpReply {
  const outcome = { kind: "refused", status, message } as const;
  if (status === 0) return { kind: "reset", outcome };
  return { kind: "json", status, headers: { "x-request-id": requestId, ...headers }, body, outcome };
}

export function freeReply(body: unknown, requestId: string): HttpReply {
  return { kind: "json", status: 200, headers: { "x-request-id": requestId }, body, outcome: { kind: "free" } };
}

export interface Billed {
  readonly acceptance: Acceptance;
  readonly usage: Usage;
  readonly priceUsd: number;
}

export function answeredOutcome(responseId: string, { acceptance, usage, priceUsd }: Billed): Outcome {
  return { kind: "answered", usage, cache: acceptance.cache, priceUsd, responseId };
}

/** An answer that nobody has seen yet: only once it has begun to leave can its prompt be read from the cache. */
export interface Ready<Response> {
  readonly kind: "ready";
  readonly answered: Answered<Response>;
  begun(): void;
}

/** The whole of an answer at once, or what refused it. */
export function wholeReply(ready: Ready<{ readonly id: string }> | Refusal, requestId: string): HttpReply {
  if (ready.kind === "refused") return refusedReply(ready, requestId);
  const { answered, begun } = ready;
  const { response } = answered;
  const outcome = answeredOutcome(response.id, answered);
  return { kind: "json", status: 200, headers: { "x-request-id": requestId }, body: response, begun, outcome };
}

/** The same in process, where an answer leaves as soon as it is there. */
export function taken<Response>(ready: Ready<Response> | Refusal): Answered<Response> | Refusal {
  if (ready.kind === "refused") return ready;
  ready.begun();
  return ready.answered;
}

/** The refusal a fault amounts to, if it leaves no answer. A reset connection has no status: 0 stands for that. */
export function faultRefusal(fault: Fault | undefined, delivery: Delivery): Refusal | undefined {
  const fate = outcomeOfCall(fault, delivery);
  switch (fate.kind) {
    case "answered":
      return undefined;
    case "failed":
      return toRefusal(failureText(fate.failure));
    case "reset":
      return { kind: "refused", status: 0, headers: {}, body: undefined, message: "The connection was reset." };
  }
}

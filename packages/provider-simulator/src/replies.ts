import type { Failure, Fault } from "./faults.ts";
import type { HttpReply, Outcome } from "./http-face.ts";
import { type Delivery, outcomeOfCall } from "./outcome-of-call.ts";
import type { Usage } from "./usage.ts";
import type { Acceptance, Answered, Refusal } from "./verdict.ts";

type Headers = Readonly<Record<string, string>>;

/** A call that was refused, or whose connection was reset: status 0 stands for that. */
export function refusedReply({ status, headers, body, message }: Refusal, usual: Headers = {}): HttpReply {
  const outcome = { kind: "refused", status, message } as const;
  if (status === 0) return { kind: "reset", outcome };
  return { kind: "json", status, headers: { ...usual, ...headers }, body, outcome };
}

export function freeReply(body: unknown, headers: Headers = {}): HttpReply {
  return { kind: "json", status: 200, headers, body, outcome: { kind: "free" } };
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
  readonly responseId: string;
  readonly answered: Answered<Response>;
  begun(): void;
}

/** The whole of an answer at once, or what refused it. */
export function wholeReply(ready: Ready<unknown> | Refusal, headers: Headers = {}): HttpReply {
  if (ready.kind === "refused") return refusedReply(ready, headers);
  const { answered, begun, responseId } = ready;
  const outcome = answeredOutcome(responseId, answered);
  return { kind: "json", status: 200, headers, body: answered.response, begun, outcome };
}

/** The same in process, where an answer leaves as soon as it is there. */
export function taken<Response>(ready: Ready<Response> | Refusal): Answered<Response> | Refusal {
  if (ready.kind === "refused") return ready;
  ready.begun();
  return ready.answered;
}

/** The refusal a fault amounts to, if it leaves no answer. A reset connection has no status: 0 stands for that. */
export function refusalOf(
  fault: Fault | undefined,
  delivery: Delivery,
  toRefusal: (failure: Failure) => Refusal,
): Refusal | undefined {
  const fate = outcomeOfCall(fault, delivery);
  switch (fate.kind) {
    case "answered":
      return undefined;
    case "failed":
      return toRefusal(fate.failure);
    case "reset":
      return { kind: "refused", status: 0, headers: {}, body: undefined, message: "The connection was reset." };
  }
}

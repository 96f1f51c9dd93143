import type { Failure, Fault } from "./faults.ts";

export type Delivery = "stream" | "whole";

/** The final outcome of a call. A reset or failed call is not billed, and writes nothing to the cache. */
export type CallOutcome =
  | { readonly kind: "answered" }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "reset" };

/**
 * Returns the outcome of a call, by one rule for all APIs: without a stream, a stream fault becomes a failed or a
 * broken answer.
 */
export function outcomeOfCall(fault: Fault | undefined, delivery: Delivery): CallOutcome {
  if (fault === undefined) return { kind: "answered" };
  switch (fault.kind) {
    case "stream-stall":
      return { kind: "answered" };
    case "stream-cut":
      return delivery === "whole" ? { kind: "reset" } : { kind: "answered" };
    case "stream-error":
      return delivery === "whole" ? { kind: "failed", failure: fault.failure } : { kind: "answered" };
    case "connection-reset":
      return { kind: "reset" };
    // Only one provider has a state for this, and checks for it first.
    case "response-failed":
      return { kind: "failed", failure: { kind: "server-error", message: fault.message } };
    default:
      return { kind: "failed", failure: fault };
  }
}

import type { Failure, Fault } from "./faults.ts";

export type Delivery = "stream" | "whole";

/** What becomes of a call in the end. A reset or failed call is not billed, and writes nothing to the cache. */
export type CallOutcome =
  | { readonly kind: "answered" }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "reset" };

/** One rule for all faces: what breaks a stream has no other form without one than a failed or a broken answer. */
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
    // Only one provider has a state for this, and looks for it first.
    case "response-failed":
      return { kind: "failed", failure: { kind: "server-error", message: fault.message } };
    default:
      return { kind: "failed", failure: fault };
  }
}

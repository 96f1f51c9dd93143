import type { ToolCall } from "../log/block.ts";
import type { RecordedResponse } from "../session/recorded-response.ts";

/** The next step that a response asks for. */
export type NextStep =
  /** `cutOff`: a call at the end of a truncated response. It may be incomplete, and does not run. */
  | { readonly kind: "run-calls"; readonly calls: readonly ToolCall[]; readonly cutOff?: ToolCall }
  /** The provider only paused, or its calls are already answered. */
  | { readonly kind: "send-again" }
  /** The response was cut at its length limit, and the model is asked to continue. */
  | { readonly kind: "go-on" }
  | { readonly kind: "refused" }
  | { readonly kind: "end" };

/**
 * Returns the next step after a response. Calls take precedence over the stop reason: servers name the wrong one. Pure. @param
 * cutsLeft how often a cut response may still be continued
 */
export function afterResponse(
  { stop, calls, refusedCalls = [] }: Pick<RecordedResponse, "stop" | "calls" | "refusedCalls">,
  cutsLeft: number,
): NextStep {
  if (stop === "refused") return { kind: "refused" };
  const isCut = stop === "length" || stop === "window";
  if (calls.length > 0) {
    return isCut
      ? { kind: "run-calls", calls: calls.slice(0, -1), cutOff: calls.at(-1)! }
      : { kind: "run-calls", calls };
  }
  if (refusedCalls.length > 0 || stop === "paused" || stop === "compacted") return { kind: "send-again" };
  return isCut && cutsLeft > 0 ? { kind: "go-on" } : { kind: "end" };
}

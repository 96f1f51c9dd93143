import type { ToolCall } from "../log/block.ts";
import type { RecordedResponse } from "../session/recorded-response.ts";

/** What a response asks for. */
export type NextStep =
  /** `cutOff`: a call at the end of a response that was cut there. It may not be whole, and is not run. */
  | { readonly kind: "run-calls"; readonly calls: readonly ToolCall[]; readonly cutOff?: ToolCall }
  /** The provider only paused, or what it asked for is answered already. */
  | { readonly kind: "send-again" }
  /** It was cut at its length limit and is asked to go on. */
  | { readonly kind: "go-on" }
  | { readonly kind: "refused" }
  | { readonly kind: "end" };

/**
 * What comes after a response. Calls count more than the reason for stopping: servers name the wrong one. Pure.
 * @param cutsLeft how often a cut response may still be gone on with
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

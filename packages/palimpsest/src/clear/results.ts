import type { ToolCall } from "../log/block.ts";
import type { Settings } from "../settings/settings.ts";
import { clearableTools } from "../stages/microcompact/clearable-tools.ts";
import type { ResultIndex, ShownResult } from "../view/results.ts";
import type { Configuration } from "../view/view.ts";

export interface Eligibility {
  /** Whether a tool's results can be produced again, or only confirm an action. */
  readonly isClearable: (tool: string) => boolean;
}

export function eligibilityOf(configuration: Configuration | undefined, settings: Settings): Eligibility {
  return { isClearable: clearableTools(configuration?.tools ?? [], settings["clearing.keepTools"]) };
}

/**
 * Returns the results that may be cleared, oldest first: complete results of clearable tools. Errors, the newest
 * results, and results that were requested again after clearing stay.
 */
export function eligibleResults(
  { results }: ResultIndex,
  { isClearable, keepNewest }: Eligibility & { readonly keepNewest: number },
): readonly ShownResult[] {
  const clearable = results.filter(
    ({ call, status }) => call !== undefined && status === "ok" && isClearable(call.name),
  );
  const whole = clearable.filter(({ state }) => state === "whole");
  const candidates = whole.slice(0, Math.max(0, whole.length - keepNewest));
  if (candidates.length === 0) return candidates;
  const clearedBefore = new Set(results.filter(({ state }) => state === "replaced").map(({ call }) => keyOf(call)));
  return candidates.filter(({ call }) => !(clearedBefore.size > 0 && clearedBefore.has(keyOf(call))));
}

/** Returns a key for the question: the same tool with the same input. */
function keyOf(call: ToolCall | undefined): string {
  return call === undefined ? "" : `${call.name} ${JSON.stringify(call.input)}`;
}

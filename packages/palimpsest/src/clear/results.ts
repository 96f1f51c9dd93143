import { TOOL_SEARCH, type ToolCall, type ToolDefinition } from "../log/block.ts";

import type { Settings } from "../settings/settings.ts";
import { fileOf } from "../view/items.ts";
import type { ResultIndex, ShownResult } from "../view/results.ts";
import type { Configuration, LeftOut, View } from "../view/view.ts";

/**
 * Returns a function that tells whether a tool's old results may be cleared. The user's list of tools to keep comes
 * first, then the tool's own setting. A tool without a setting counts as a read: its results can be produced again, and
 * `recall` returns them in any case.
 */
export function clearableTools(
  tools: readonly ToolDefinition[],
  keptNames: readonly string[],
): (tool: string) => boolean {
  // What a search has brought in is used from then on.
  const kept = new Set([...keptNames, TOOL_SEARCH].map((name) => name.toLowerCase()));
  const declared = new Map(tools.map((tool) => [tool.name, resultsOf(tool)]));
  return (tool) => !kept.has(tool.toLowerCase()) && (declared.get(tool) ?? "clearable") === "clearable";
}

function resultsOf({ results, sideEffects }: ToolDefinition): "clearable" | "kept" {
  return results ?? (sideEffects === "some" ? "kept" : "clearable");
}

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

/**
 * Returns the files whose newest read is complete in the view, with the entry of that read. A read that was cleared,
 * stored, compacted, or removed by the provider does not count: an edit that depends on it asks for a new read.
 */
export function filesRead(
  { results, calls }: ResultIndex,
  { leftOut, deleted }: Pick<View, "leftOut" | "deleted">,
): ReadonlyMap<string, number> {
  const gone = leftOut && callsLeftOut(calls, leftOut);
  const deletedEntries = new Set(deleted.map(({ entry }) => entry));
  const files = new Map<string, number>();
  for (const { call, entry, state, status } of results) {
    const file = call && fileOf(call);
    if (file?.access !== "read" || status === "error") continue;
    if (state === "whole" && !gone?.has(call!) && !deletedEntries.has(entry)) files.set(file.path, entry);
    else files.delete(file.path);
  }
  return files;
}

/** A provider reports how many results it left out, not which: they are the oldest of the tools that are not kept. */
function callsLeftOut(calls: ResultIndex["calls"], { results, keptTools }: LeftOut): ReadonlySet<ToolCall> {
  const others = calls.filter(({ call }) => !keptTools.includes(call.name));
  return new Set(others.slice(0, results).map(({ call }) => call));
}

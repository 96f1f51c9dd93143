import type { ToolCall } from "../../log/block.ts";
import type { Settings } from "../../settings/settings.ts";
import { fileOf } from "../../view/file-of.ts";
import type { Configuration } from "../../view/view.ts";
import { clearableTools } from "./clearable-tools.ts";
import type { ResultIndex, ShownResult } from "./result-index.ts";

export interface Eligibility {
  /** Whether a tool's results can be produced again, or only confirm an action. */
  readonly isClearable: (tool: string) => boolean;
  /** The file that a call reads or edits, if any. */
  readonly fileOf: (call: ToolCall) => { readonly path: string; readonly access: "read" | "edit" } | undefined;
  /** Reads of files that were edited within this many last calls stay: a later edit depends on 45% of reads. */
  readonly workingSetCalls: number;
}

export function eligibilityOf(configuration: Configuration | undefined, settings: Settings): Eligibility {
  return {
    isClearable: clearableTools(configuration?.tools ?? [], settings["clearing.keepTools"]),
    fileOf,
    workingSetCalls: settings["clearing.workingSetCalls"],
  };
}

/**
 * Returns the results that may be cleared, oldest first: complete results of clearable tools. Errors, the newest
 * results, reads of the working set, and results that were requested again after clearing stay.
 */
export function eligibleResults(
  { results, calls }: ResultIndex,
  { isClearable, fileOf, workingSetCalls, keepNewest }: Eligibility & { readonly keepNewest: number },
): readonly ShownResult[] {
  const clearable = results.filter(
    ({ call, status }) => call !== undefined && status === "ok" && isClearable(call.name),
  );
  const whole = clearable.filter(({ state }) => state === "whole");
  const candidates = whole.slice(0, Math.max(0, whole.length - keepNewest));
  if (candidates.length === 0) return candidates;
  const clearedBefore = new Set(results.filter(({ state }) => state === "replaced").map(({ call }) => keyOf(call)));
  const edited = new Set(
    calls
      .slice(Math.max(0, calls.length - workingSetCalls))
      .map(({ call }) => fileOf(call))
      .flatMap((file) => (file?.access === "edit" ? [file.path] : [])),
  );
  const isInWorkingSet = (call: ToolCall): boolean => {
    const file = edited.size === 0 ? undefined : fileOf(call);
    return file?.access === "read" && edited.has(file.path);
  };
  return candidates.filter(
    ({ call }) => !isInWorkingSet(call!) && !(clearedBefore.size > 0 && clearedBefore.has(keyOf(call))),
  );
}

/** Returns a key for the question: the same tool with the same input. */
function keyOf(call: ToolCall | undefined): string {
  return call === undefined ? "" : `${call.name} ${JSON.stringify(call.input)}`;
}
